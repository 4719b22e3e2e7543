"""Sitemaps: an index, a gzipped list, and pages that nothing else leads to."""

import gzip
from html import escape

from crawlmesh.testing.demo_site.catalogue import catalogue
from crawlmesh.testing.demo_site.page_builder import PageBuilder
from crawlmesh.testing.demo_site.page_kind import PageKind
from crawlmesh.testing.demo_site.resource import Corner, Resource
from crawlmesh.testing.demo_site.shop import Shop

_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"
_HIDDEN_PAGES = 3
_LISTED_PRODUCTS = 5


def sitemaps(shop: Shop) -> Corner:
    """The sitemap files of a shop that names them in its robots.txt, and the hidden pages."""
    if not shop.has_robots:
        return Corner(())
    hidden = [_hidden_page(shop, number) for number in range(1, _HIDDEN_PAGES + 1)]
    listed = [shop.url(product.target) for product in catalogue(shop)[:_LISTED_PRODUCTS]]
    pages = _document("urlset", "url", [*listed, *(page.url for page in hidden)])
    return Corner((_index(shop), _list(shop, pages), *hidden))


def _hidden_page(shop: Shop, number: int) -> Resource:
    page = PageBuilder(shop, f"/hidden/{number}", f"Hidden page {number} | {shop.name}")
    return page.link("/", "Home").build(sitemap_only=True)


def _index(shop: Shop) -> Resource:
    body = _document("sitemapindex", "sitemap", [shop.url("/sitemap-pages.xml.gz")])
    url = shop.url("/sitemap.xml")
    return Resource(url=url, kind=PageKind.SITEMAP, content_type="application/xml", body=body)


def _list(shop: Shop, pages: bytes) -> Resource:
    body = gzip.compress(pages, mtime=0)
    url = shop.url("/sitemap-pages.xml.gz")
    return Resource(url=url, kind=PageKind.SITEMAP, content_type="application/gzip", body=body)


def _document(root: str, item: str, urls: list[str]) -> bytes:
    items = "".join(f"<{item}><loc>{escape(url)}</loc></{item}>\n" for url in urls)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<{root} xmlns="{_SCHEMA}">\n{items}</{root}>\n'.encode()
