"""The robots.txt of every host, and the pages that it forbids."""

from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.page_kind import PageKind
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import PORTAL, Shop

_FORBIDDEN = ("/private/", "/private/cellar", "/basket?item=1", "/notes/plan.secret")
_RULES = ("Disallow: /private/", "Allow: /private/garden", "Disallow: /basket", "Disallow: /*.secret$")
_TEXT = "text/plain; charset=utf-8"


def robots_file(shop: Shop) -> Resource:
    """What a host answers for its robots.txt."""
    url = shop.url("/robots.txt")
    if not shop.has_robots:
        return Resource(url=url, kind=PageKind.ROBOTS, status=404, content_type=_TEXT, body=b"none\n")
    lines = ["User-agent: BadBot", "Disallow: /", "", "User-agent: *"]
    lines += _RULES if shop.number != PORTAL else ("Disallow:",)
    if shop.is_delayed:
        lines.append(f"Crawl-delay: {shop.options.crawl_delay:g}")
    if shop.number != PORTAL:
        lines += ["", f"Sitemap: {shop.url('/sitemap.xml')}"]
    return Resource(
        url=url, kind=PageKind.ROBOTS, content_type=_TEXT, body=("\n".join(lines) + "\n").encode()
    )


def forbidden_pages(shop: Shop) -> Corner:
    """Pages that are linked but disallowed, and one among them that is allowed."""
    if not shop.has_robots:
        return Corner(())
    resources = [_page(shop, target, PageKind.DISALLOWED) for target in _FORBIDDEN]
    garden = _page(shop, "/private/garden", PageKind.PAGE)
    return Corner((*resources, garden), (*_FORBIDDEN, "/private/garden"))


def _page(shop: Shop, target: str, kind: PageKind) -> Resource:
    return PageBuilder(shop, target, f"{target} | {shop.name}").link("/", "Home").build(kind=kind)
