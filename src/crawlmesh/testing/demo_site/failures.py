"""Pages that fail, come late, end never, or are not there."""

from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.page_kind import Behaviour, PageKind
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import Shop

_FLAKY_PAGES = 3


def failures(shop: Shop) -> Corner:
    """Everything that goes wrong in a shop. Endless and hanging pages are linked on request only."""
    resources = [_flaky(shop, number) for number in range(1, _FLAKY_PAGES + 1)]
    resources += [
        _page(shop, "/slow", kind=PageKind.SLOW, behaviour=Behaviour.SLOW),
        _page(shop, "/broken", kind=PageKind.FAILS_ALWAYS, status=500),
        _page(shop, "/missing", kind=PageKind.MISSING, status=404),
        _page(shop, "/gone", kind=PageKind.MISSING, status=410),
    ]
    linked = [resource.url for resource in resources if not resource.url.endswith("/flaky/2")]
    endless = _page(shop, "/endless", kind=PageKind.ENDLESS, behaviour=Behaviour.ENDLESS)
    hanging = _page(shop, "/hanging", kind=PageKind.HANGING, behaviour=Behaviour.HANGING)
    linked += [endless.url] * shop.options.endless + [hanging.url] * shop.options.hanging
    origin = shop.url("")
    return Corner((*resources, endless, hanging), tuple(url.removeprefix(origin) for url in linked))


def not_found(url: str) -> Resource:
    """The answer for whatever the site does not have."""
    body = b"<!DOCTYPE html><title>Not found</title><p>There is no such page."
    return Resource(url=url, kind=PageKind.MISSING, status=404, body=body)


def _page(shop: Shop, target: str, *, kind: PageKind, status: int = 200, **details: Behaviour) -> Resource:
    page = PageBuilder(shop, target, f"{kind.value.replace('_', ' ').capitalize()} | {shop.name}")
    return page.link("/", "Home").build(kind=kind, status=status, **details)


def _flaky(shop: Shop, number: int) -> Resource:
    # Page 2 is linked from page 1 alone: whoever gives up on page 1 never sees it.
    page = PageBuilder(shop, f"/flaky/{number}", f"Flaky page {number} | {shop.name}").link("/", "Home")
    if number == 1:
        page.link("/flaky/2", "The next flaky page")
    return page.build(kind=PageKind.FAILS_ONCE, behaviour=Behaviour.FAIL_ONCE)
