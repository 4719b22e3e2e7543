"""Pages that send the visitor on: every status, chains, loops, and to where a crawl must not go."""

from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.page_kind import PageKind
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import Shop

_STATUSES = (301, 302, 303, 307, 308)


def redirects(shop: Shop) -> Corner:
    """All redirects of a shop, and the pages that nothing but a redirect leads to."""
    resources = [*_by_status(shop), *_chain(shop), *_loops(shop), *_away(shop)]
    entrances = [f"/moved/{status}" for status in _STATUSES]
    entrances += ["/chain/1", "/loop/1", "/loop/self", "/moved/neighbour", "/moved/away"]
    if shop.has_robots:
        resources.append(_redirect(shop, "/moved/private", 302, shop.url("/private/cellar")))
        entrances.append("/moved/private")
    return Corner(tuple(resources), tuple(entrances))


def _by_status(shop: Shop) -> list[Resource]:
    resources = []
    for position, status in enumerate(_STATUSES):
        target = f"/arrived/{status}"
        location = (f"../arrived/{status}", target, shop.url(target), f"{target}#here")[position % 4]
        resources.append(_redirect(shop, f"/moved/{status}", status, shop.url(target), location))
        resources.append(_arrival(shop, target))
    return resources


def _chain(shop: Shop) -> list[Resource]:
    hops = [_redirect(shop, f"/chain/{step}", 302, shop.url(f"/chain/{step + 1}")) for step in (1, 2)]
    return [*hops, _redirect(shop, "/chain/3", 301, shop.url("/chain/end")), _arrival(shop, "/chain/end")]


def _loops(shop: Shop) -> list[Resource]:
    return [
        _redirect(shop, "/loop/1", 302, shop.url("/loop/2")),
        _redirect(shop, "/loop/2", 302, shop.url("/loop/1")),
        _redirect(shop, "/loop/self", 301, shop.url("/loop/self")),
    ]


def _away(shop: Shop) -> list[Resource]:
    return [
        _redirect(shop, "/moved/neighbour", 302, shop.neighbour.url("/about")),
        _redirect(shop, "/moved/away", 302, shop.out_of_scope_url("/away")),
    ]


def _arrival(shop: Shop, target: str) -> Resource:
    return PageBuilder(shop, target, f"Arrived at {target} | {shop.name}").link("/", "Home").build()


def _redirect(shop: Shop, target: str, status: int, to: str, location: str | None = None) -> Resource:
    return Resource(
        url=shop.url(target),
        kind=PageKind.REDIRECT,
        status=status,
        headers=(("location", location or to),),
        body=b"<p>Moved.</p>",
        redirect_to=to,
    )
