"""Product pages and their reviews, with conditional requests, JSON-LD and Open Graph."""

import hashlib
import json
from collections.abc import Iterator
from email.utils import formatdate
from html import escape

import msgspec

from crawlmesh.testing.demo_site.catalogue import Product, catalogue
from crawlmesh.testing.demo_site.link_forms import written_form
from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.resource import Resource
from crawlmesh.testing.demo_site.shop import Shop


def product_pages(shop: Shop) -> Iterator[Resource]:
    """Two pages for every product of a shop."""
    for product in catalogue(shop):
        yield _product_page(shop, product)
        yield _review_page(shop, product)


def _product_page(shop: Shop, product: Product) -> Resource:
    page = PageBuilder(shop, product.target, f"{product.title} | {shop.name}")
    for element in _metadata(shop, product):
        page.head(element)
    page.html(f'<p class="product-title">{escape(product.title)}</p>')
    page.html(f'<span class="price">{product.price}</span>')
    page.html(f'<div class="description">{escape(product.description)}</div>')
    page.link(f"{product.target}/reviews", "Reviews", written=f"{product.number}/reviews")
    page.link(f"/categories/{product.category}", product.category)
    _link_related(page, shop, product)
    page.link("/", "Home", written="/#top")
    resource = page.build(last_modified=formatdate(product.modified_at, usegmt=True))
    return msgspec.structs.replace(resource, etag=f'"{hashlib.sha256(resource.body).hexdigest()[:16]}"')


def _metadata(shop: Shop, product: Product) -> Iterator[str]:
    url = shop.url(product.target)
    description = escape(product.description)
    yield f'<meta name="description" content="{description}">'
    yield f'<link rel="canonical" href="{url}">'
    yield '<meta property="og:type" content="product">'
    yield f'<meta property="og:title" content="{escape(product.title)}">'
    yield f'<meta property="og:url" content="{url}">'
    yield f'<meta property="og:description" content="{description}">'
    offer = {"@type": "Offer", "price": product.amount, "priceCurrency": "USD"}
    data = {"@context": "https://schema.org", "@type": "Product", "name": product.title, "offers": offer}
    yield f'<script type="application/ld+json">{json.dumps(data)}</script>'


def _link_related(page: PageBuilder, shop: Shop, product: Product) -> None:
    products = catalogue(shop)
    for step in (1, 2, 7):
        other = products[(product.number - 1 + step) % len(products)]
        page.link(other.target, other.title, written=written_form(shop, other, product.number + step))
    there = catalogue(shop.neighbour)
    similar = there[(product.number - 1) % len(there)]
    page.link_url(shop.neighbour.url(similar.target), f"{similar.title} at {shop.neighbour.name}")


def _review_page(shop: Shop, product: Product) -> Resource:
    page = PageBuilder(shop, f"{product.target}/reviews", f"Reviews of {product.title} | {shop.name}")
    for review in product.reviews:
        page.html(f'<blockquote class="review">{escape(review)}</blockquote>')
    return page.link(product.target, product.title, written=f"../{product.number}").build()
