"""What is not HTML: a JSON interface, a feed, a text, and binary files."""

import json

from crawlmesh.testing.demo_site.catalogue import catalogue
from crawlmesh.testing.demo_site.page_kind import PageKind
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import Shop

_LISTED = 10


def documents(shop: Shop) -> Corner:
    """The documents of one shop."""
    resources = (
        Resource(url=shop.url("/api/products"), content_type="application/json", body=_json(shop)),
        Resource(url=shop.url("/feed.xml"), content_type="application/xml", body=_feed(shop)),
        Resource(url=shop.url("/humans.txt"), content_type="text/plain; charset=utf-8", body=b"Nobody.\n"),
        _binary(shop, "/files/catalogue.pdf", "application/pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"),
        _binary(shop, "/files/photo.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        _binary(shop, "/download/7", "application/octet-stream", bytes(range(256))),
    )
    origin = shop.url("")
    return Corner(resources, tuple(resource.url.removeprefix(origin) for resource in resources))


def _json(shop: Shop) -> bytes:
    products = [
        {"id": product.number, "title": product.title, "price": product.amount}
        for product in catalogue(shop)[:_LISTED]
    ]
    return json.dumps({"shop": shop.name, "products": products}).encode()


def _feed(shop: Shop) -> bytes:
    items = "".join(f"<item><title>{product.title}</title></item>" for product in catalogue(shop)[:_LISTED])
    return f'<?xml version="1.0" encoding="utf-8"?>\n<catalogue>{items}</catalogue>\n'.encode()


def _binary(shop: Shop, target: str, content_type: str, start: bytes) -> Resource:
    body = start + bytes(64 * 1024)
    return Resource(url=shop.url(target), kind=PageKind.BINARY, content_type=content_type, body=body)
