"""The whole site, rendered: every URL with its answer."""

from itertools import chain

import msgspec

from crawlmesh.testing.demo_site.documents import documents
from crawlmesh.testing.demo_site.duplicates import duplicates
from crawlmesh.testing.demo_site.encodings import encodings
from crawlmesh.testing.demo_site.failures import failures
from crawlmesh.testing.demo_site.home_pages import portal_pages, shop_home_pages
from crawlmesh.testing.demo_site.list_pages import list_pages
from crawlmesh.testing.demo_site.options import DemoSiteOptions
from crawlmesh.testing.demo_site.product_pages import product_pages
from crawlmesh.testing.demo_site.redirects import redirects
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.robots import forbidden_pages, robots_file
from crawlmesh.testing.demo_site.shop import Shop, all_hosts
from crawlmesh.testing.demo_site.sitemaps import sitemaps
from crawlmesh.testing.demo_site.traps import traps


class Site(msgspec.Struct, frozen=True):
    """Every URL of the demo site. Trap pages beyond the first are made on demand."""

    hosts: tuple[Shop, ...]
    resources: dict[str, Resource]  # by canonical URL


def build_site(options: DemoSiteOptions, port: int) -> Site:
    """Renders the site for a port, which stands in its absolute links."""
    portal, *shops = hosts = all_hosts(options, port)
    pages = chain(
        portal_pages(portal, shops),
        (robots_file(shop) for shop in hosts),
        chain.from_iterable(_shop_resources(shop) for shop in shops),
    )
    return Site(hosts, {page.url: page for page in pages})


def _shop_resources(shop: Shop) -> list[Resource]:
    corners = _corners(shop)
    entrances = [target for corner in corners for target in corner.entrances]
    plain = [*shop_home_pages(shop, entrances), *list_pages(shop), *product_pages(shop)]
    return [*plain, *(resource for corner in corners for resource in corner.resources)]


def _corners(shop: Shop) -> list[Corner]:
    corners = [forbidden_pages(shop), sitemaps(shop), traps(shop)]
    if shop.options.curiosities and not shop.is_delayed:
        corners += [redirects(shop), failures(shop), encodings(shop), documents(shop), duplicates(shop)]
    return corners
