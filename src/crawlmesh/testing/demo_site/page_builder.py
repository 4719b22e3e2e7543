"""Writes one HTML page and keeps account of where its links lead."""

from html import escape
from typing import Any

from crawlmesh.testing.demo_site.catalogue import Product
from crawlmesh.testing.demo_site.resource import ListedProduct, Resource
from crawlmesh.testing.demo_site.shop import Shop


class PageBuilder:
    """A page in the making. A link is written in any form but accounted for by its canonical URL."""

    def __init__(self, shop: Shop, target: str, title: str) -> None:
        self._shop = shop
        self._target = target
        self._title = title
        self._head: list[str] = []
        self._body: list[str] = []
        self._links: dict[str, None] = {}
        self._products: list[ListedProduct] = []

    def head(self, html: str) -> "PageBuilder":
        """Adds an element to the head."""
        self._head.append(html)
        return self

    def html(self, html: str) -> "PageBuilder":
        """Adds an element without links to the body."""
        self._body.append(html)
        return self

    def text(self, text: str) -> "PageBuilder":
        """Adds a paragraph."""
        return self.html(f"<p>{escape(text)}</p>")

    def link(self, target: str, text: str = "", *, written: str | None = None) -> "PageBuilder":
        """Links to a target of this host; `written` is the href where it is not the target."""
        return self.link_url(self._shop.url(target), text or target, written=written or target)

    def link_url(self, url: str, text: str, *, written: str | None = None) -> "PageBuilder":
        """Links to a canonical URL anywhere."""
        self._links[url] = None
        return self.html(f'<p><a href="{escape(written or url)}">{escape(text)}</a></p>')

    def card(self, product: Product, written: str | None = None) -> "PageBuilder":
        """Shows a product of this shop as the list pages do."""
        url = self._shop.url(product.target)
        self._links[url] = None
        self._products.append(ListedProduct(product.title, product.price, url))
        return self.html(
            f'<div class="product"><h2 class="title"><a href="{escape(written or product.target)}">'
            f'{escape(product.title)}</a></h2> <span class="price">{product.price}</span></div>'
        )

    def build(self, charset: str = "utf-8", **details: Any) -> Resource:
        """The finished page; `details` are further fields of the resource."""
        return Resource(
            url=self._shop.url(self._target),
            title=self._title,
            body=self._render().encode(charset),
            products=tuple(self._products),
            links=tuple(self._links),
            **details,
        )

    def _render(self) -> str:
        title = escape(self._title)
        lines = ["<!DOCTYPE html>", '<html lang="en">', "<head>", *self._head, f"<title>{title}</title>"]
        lines += ["</head>", "<body>", f"<h1>{title}</h1>", *self._body, "</body>", "</html>", ""]
        return "\n".join(lines)
