"""Pages that are linked under many names, to see whether a crawl takes each once."""

import msgspec

from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import Shop

TRACKING_PARAMETERS = frozenset({"utm_source", "utm_medium", "utm_campaign"})


def duplicates(shop: Shop) -> Corner:
    """A page full of variants, the pages behind it, and their tracked twins."""
    originals = [_deals(shop), _search(shop)]
    twins = [_twin(originals[0], "?utm_medium=post"), _twin(originals[1], "&utm_source=mail")]
    resources = [_variants(shop, twins), *originals, *_brands(shop), *twins]
    return Corner(tuple(resources), ("/variants", "/deals/"))


def without_tracking(url: str) -> str:
    """A canonical URL less the tracking parameters that the site uses."""
    path, mark, query = url.partition("?")
    kept = [part for part in query.split("&") if part.partition("=")[0] not in TRACKING_PARAMETERS]
    return path + (mark + "&".join(kept) if any(kept) else "")


def _variants(shop: Shop, twins: list[Resource]) -> Resource:
    page = PageBuilder(shop, "/variants", f"Variants | {shop.name}")
    page.link("/search?a=1&b=2", "Search").link("/search?a=1&b=2", "Search", written="/search?b=2&a=1")
    page.link("/search?a=1&b=2", "Search", written="search?b=2&a=1#results")
    page.link("/brands/caf%C3%A9", "Brand").link("/brands/caf%C3%A9", "Brand", written="/brands/café")
    page.link("/brands/two%20words", "Brand", written="/brands/two words")
    page.link("/brands/two%20words", "Brand", written="/a/%2e%2e/brands/two%20words")
    page.link("/variants", "Here", written="#here")
    for twin in twins:
        page.link_url(twin.url, "Tracked")
    return page.build()


def _deals(shop: Shop) -> Resource:
    page = PageBuilder(shop, "/deals/", f"Deals | {shop.name}").head('<base href="/products/">')
    return page.link("/products/1", "Deal", written="1").link("/products/2", "Deal", written="./2").build()


def _search(shop: Shop) -> Resource:
    return PageBuilder(shop, "/search?a=1&b=2", f"Search | {shop.name}").link("/", "Home").build()


def _brands(shop: Shop) -> list[Resource]:
    cafe = PageBuilder(shop, "/brands/caf%C3%A9", f"Café | {shop.name}").link("/", "Home")
    words = PageBuilder(shop, "/brands/two%20words", f"Two words | {shop.name}").link("/", "Home")
    return [cafe.build(), words.build()]


def _twin(original: Resource, suffix: str) -> Resource:
    return msgspec.structs.replace(original, url=original.url + suffix, alias_of=original.url)
