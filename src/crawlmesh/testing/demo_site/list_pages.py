"""Pages that list products: all of them, and by category, both in several pages."""

from collections.abc import Iterator, Sequence

from crawlmesh.testing.demo_site.catalogue import Product, catalogue, categories
from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.resource import Resource
from crawlmesh.testing.demo_site.shop import Shop


def list_pages(shop: Shop) -> Iterator[Resource]:
    """Every list page of a shop."""
    yield from _paginated(shop, "/products", f"All products | {shop.name}", catalogue(shop))
    for category in categories(shop):
        products = [product for product in catalogue(shop) if product.category == category]
        title = f"{category.capitalize()} | {shop.name}"
        yield from _paginated(shop, f"/categories/{category}", title, products)


def _paginated(shop: Shop, path: str, title: str, products: Sequence[Product]) -> Iterator[Resource]:
    size = shop.options.page_size
    last = max(1, -(-len(products) // size))
    for number in range(1, last + 1):
        page = PageBuilder(shop, _page_target(path, number), f"{title} | Page {number}")
        for product in products[(number - 1) * size : number * size]:
            page.card(product)
        _link_pages(page, path, number, last)
        yield page.link("/", "Home").build()


def _page_target(path: str, number: int) -> str:
    return path if number == 1 else f"{path}?page={number}&sort=price"


def _link_pages(page: PageBuilder, path: str, number: int, last: int) -> None:
    if number > 1:
        page.link(_page_target(path, number - 1), "Previous page")
    if number < last:
        following = _page_target(path, number + 1)
        page.link(following, "Next page")
        page.link(following, "More", written=f"?sort=price&page={number + 1}#list")
