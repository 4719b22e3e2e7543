"""The links of sitemaps: XML or plain text, as they are or compressed with gzip."""

import zlib
from typing import NamedTuple

from lxml import etree

from crawlmesh.crawl.extraction.content_kind import DocumentKind
from crawlmesh.crawl.extraction.document import Document

MAX_SITEMAP_BYTES = 64 * 1024 * 1024  # sitemaps.org allows 50 MB, uncompressed
_GZIP_MAGIC = b"\x1f\x8b"
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_ROOT_SEARCH_BYTES = 4096


class SitemapLinks(NamedTuple):
    """What a sitemap lists, as written."""

    pages: list[str]
    sitemaps: list[str]


def sitemap_links(document: Document, *, max_bytes: int = MAX_SITEMAP_BYTES) -> SitemapLinks:
    """The pages and the further sitemaps that a sitemap lists; nothing where the document is none.

    Of a compressed sitemap at most `max_bytes` are unpacked; the rest is not read.
    """
    body = document.body
    if body[:2] == _GZIP_MAGIC:
        body = _unpack(body, max_bytes)
        document = Document(body, None, document.url)
    if document.kind is DocumentKind.TEXT:
        return SitemapLinks(_addresses(document.text), [])
    head = body[:_ROOT_SEARCH_BYTES]
    if document.kind is not DocumentKind.XML:
        # Many servers send sitemaps as text/html.
        if b"<urlset" not in head and b"<sitemapindex" not in head:
            return SitemapLinks([], [])
        document = Document(body, "application/xml", document.url)
    return _read(document.lxml_tree)


def _read(root: "etree._Element | None") -> SitemapLinks:
    links = SitemapLinks([], [])
    if root is None:
        return links
    targets = {"url": links.pages, "sitemap": links.sitemaps}
    for element in root.iter("{*}loc"):
        parent = element.getparent()
        target = None if parent is None else targets.get(etree.QName(parent).localname)
        address = (element.text or "").strip()
        if target is not None and address:
            target.append(address)
    return links


def _unpack(body: bytes, max_bytes: int) -> bytes:
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(body, max_bytes)
    except zlib.error:
        return b""


def _addresses(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line.startswith(("http://", "https://"))]
