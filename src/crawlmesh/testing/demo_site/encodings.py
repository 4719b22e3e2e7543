"""Pages in unusual charsets and transfer forms."""

import gzip

import msgspec

from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.page_kind import Behaviour
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import Shop


def encodings(shop: Shop) -> Corner:
    """The pages of this kind of one shop."""
    resources = (_gbk(shop), _latin(shop), _broken(shop), _gzipped(shop), _chunked(shop))
    origin = shop.url("")
    return Corner(resources, tuple(resource.url.removeprefix(origin) for resource in resources))


def _gbk(shop: Shop) -> Resource:
    page = PageBuilder(shop, "/charset/gbk", f"中文商店 {shop.number}")
    return page.text("欢迎光临、价格最低。").build("gbk", content_type="text/html; charset=gbk")


def _latin(shop: Shop) -> Resource:
    page = PageBuilder(shop, "/charset/latin", f"Café crème à la carte {shop.number}")
    page.head('<meta charset="iso-8859-1">')
    return page.text("Déjà vu, naïve, façade.").build("iso-8859-1", content_type="text/html")


def _broken(shop: Shop) -> Resource:
    page = PageBuilder(shop, "/charset/broken", f"Broken bytes {shop.number}")
    resource = page.text("Here: BROKEN, and on it goes.").build()
    return msgspec.structs.replace(resource, body=resource.body.replace(b"BROKEN", b"\xff\xfe\xc3("))


def _gzipped(shop: Shop) -> Resource:
    page = PageBuilder(shop, "/encoded/gzip", f"Compressed | {shop.name}")
    resource = page.text("Much of the same. " * 200).link("/", "Home").build()
    body = gzip.compress(resource.body, mtime=0)
    return msgspec.structs.replace(resource, body=body, headers=(("content-encoding", "gzip"),))


def _chunked(shop: Shop) -> Resource:
    page = PageBuilder(shop, "/encoded/chunked", f"In pieces | {shop.name}")
    return page.text("Piece by piece. " * 200).link("/", "Home").build(behaviour=Behaviour.CHUNKED)
