"""Home and about pages of the portal and of the shops."""

from collections.abc import Iterator, Sequence

from crawlmesh.testing.demo_site.catalogue import catalogue, categories
from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.resource import Resource
from crawlmesh.testing.demo_site.shop import Shop

_FEATURED = 4


def portal_pages(portal: Shop, shops: Sequence[Shop]) -> Iterator[Resource]:
    """The pages of the host where a crawl starts."""
    home = PageBuilder(portal, "/", "Demo shops")
    for shop in shops:
        home.link_url(shop.url("/"), shop.name)
        home.link_url(shop.url("/"), f"{shop.name} again", written=f"http://{shop.host}")
    yield home.link("/about", "About", written="about").build()
    about = PageBuilder(portal, "/about", "About the demo shops")
    about.text("Every page here is generated, and always the same.")
    yield about.link("/", "Home", written=".").build()


def shop_home_pages(shop: Shop, entrances: Sequence[str]) -> Iterator[Resource]:
    """The first pages of a shop; `entrances` are linked from the page of curiosities."""
    home = PageBuilder(shop, "/", f"Welcome to {shop.name}")
    for category in categories(shop):
        home.link(f"/categories/{category}", category.capitalize())
    for product in catalogue(shop)[:_FEATURED]:
        home.card(product)
    home.link("/products", "All products", written="./products#all")
    home.link_url(shop.neighbour.url("/"), f"Visit {shop.neighbour.name}")
    if entrances:
        home.link("/curiosities", "Curiosities")
    yield home.link("/about", "About").build()
    yield PageBuilder(shop, "/about", f"About {shop.name}").link("/", "Home", written="/?#").build()
    if entrances:
        yield _curiosities(shop, entrances)


def _curiosities(shop: Shop, entrances: Sequence[str]) -> Resource:
    page = PageBuilder(shop, "/curiosities", f"Curiosities | {shop.name}")
    for target in entrances:
        page.link(target)
    for reference in ("mailto:shop@example.org", "tel:+123", "javascript:void(0)", "data:text/plain,x", "#"):
        page.html(f'<p><a href="{reference}">Not a page</a></p>')
    return page.link_url(shop.out_of_scope_url("/elsewhere"), "Elsewhere").build()
