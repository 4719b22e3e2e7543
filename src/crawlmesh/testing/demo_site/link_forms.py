"""The many ways to write a link to one and the same product."""

from crawlmesh.testing.demo_site.catalogue import Product
from crawlmesh.testing.demo_site.shop import Shop


def written_form(shop: Shop, product: Product, choice: int) -> str:
    """One of the forms, for a page that lies directly under `/products/`."""
    forms = _forms(shop, product)
    return forms[choice % len(forms)]


def _forms(shop: Shop, product: Product) -> tuple[str, ...]:
    number = product.number
    return (
        f"/products/{number}",
        f"/products/{number}#reviews",
        f"{number}",
        f"./{number}#",
        f"../products/{number}",
        f"/products/./{number}",
        f"/products/x/../{number}",
        f"/../products/{number}",
        f"//{shop.host}/products/{number}",
        f"HTTP://{shop.host}/products/{number}",
        f"  /products/{number}\n",
        f"\\products\\{number}",
        shop.url(f"/products/{number}#price"),
    )
