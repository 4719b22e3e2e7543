"""A fetched page, ready for extraction. Everything that costs time is done once and only when asked for."""

import json
from typing import Any, Final

import ada_url
import msgspec
from lxml import etree
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError

from crawlmesh.crawl.extraction.charset import UTF_8, decode, find_encoding, reads_as_utf_8, without_mark
from crawlmesh.crawl.extraction.content_kind import DocumentKind, read_content_type, sniff_kind
from crawlmesh.crawl.extraction.nesting import limit_nesting

_UNREAD: Final[Any] = object()
_PARSE_OPTIONS = int(
    LexborDocumentOptions.WO_EVENTS
)  # a little faster; the events serve `<selectedcontent>` only
_MARKUP = frozenset({DocumentKind.HTML, DocumentKind.XML})


class Document:
    """A page: its bytes, and what they mean. Reading it never raises, however broken it is."""

    __slots__ = (
        "_anchors",
        "_base",
        "_encoding",
        "_json",
        "_label",
        "_lxml",
        "_text",
        "_tree",
        "body",
        "kind",
        "url",
    )

    def __init__(self, body: bytes, content_type: str | None, url: str) -> None:
        kind, self._label = read_content_type(content_type)
        self.body = body
        self.url = url
        self.kind = kind or sniff_kind(body)
        self._encoding: str | None = None
        self._text: str | None = None
        self._tree: LexborHTMLParser | None = _UNREAD
        self._lxml: etree._Element | None = _UNREAD
        self._json: Any = _UNREAD
        self._anchors: tuple[list[LexborNode], list[str]] | None = None
        self._base: str | None = _UNREAD

    @property
    def encoding(self) -> str:
        """The Python codec of the body."""
        if self._encoding is None:
            self._encoding = find_encoding(self.body, self._label)
        return self._encoding

    @property
    def text(self) -> str:
        """The decoded source. Empty where the content is no text."""
        if self._text is None:
            self._text = "" if self.kind is DocumentKind.OTHER else decode(self.body, self.encoding)
        return self._text

    @property
    def tree(self) -> LexborHTMLParser | None:
        """The parsed HTML, or None where the page is not markup. XML is read as if it were HTML."""
        if self._tree is _UNREAD:
            self._tree = parse_html(self._utf_8_source()) if self.kind in _MARKUP else None
        return self._tree

    @property
    def lxml_tree(self) -> etree._Element | None:
        """The root element for XPath, or None where the page is not markup or nothing can be read."""
        if self._lxml is _UNREAD:
            self._lxml = self._parse_for_xpath() if self.kind in _MARKUP else None
        return self._lxml

    @property
    def json(self) -> Any:
        """The value of a JSON page; None for other pages and for broken JSON."""
        if self._json is _UNREAD:
            self._json = parse_json(self.text) if self.kind is DocumentKind.JSON else None
        return self._json

    @property
    def anchors(self) -> tuple[list[LexborNode], list[str]]:
        """Every `a` element that has an href, and, in the same order, the hrefs as written."""
        if self._anchors is None:
            self._anchors = ([], []) if self.tree is None else _read_anchors(self.tree)
        return self._anchors

    @property
    def base(self) -> str | None:
        """The href of `<base>`, as written."""
        if self._base is _UNREAD:
            self._base = None if self.tree is None else _read_base(self.tree)
        return self._base

    def resolve(self, reference: str) -> str | None:
        """The absolute URL of a reference found on the page, or None where it makes none."""
        base = self.url
        try:
            if self.base:
                base = ada_url.join_url(base, self.base)
            return ada_url.join_url(base, reference.strip())
        except ValueError:
            return None

    def _utf_8_source(self) -> bytes:
        if reads_as_utf_8(self.body, self.encoding):
            return without_mark(self.body, UTF_8)
        return self.text.encode(UTF_8, "replace")

    def _parse_for_xpath(self) -> etree._Element | None:
        source = self._utf_8_source()
        parser: Any = _xml_parser() if self.kind is DocumentKind.XML else _html_parser()
        try:
            root: etree._Element | None = etree.fromstring(source.replace(b"\0", b"\xef\xbf\xbd"), parser)
        except (etree.LxmlError, ValueError):
            return None
        return root


def parse_html(source: bytes) -> LexborHTMLParser:
    """Parse UTF-8 HTML. What the parser refuses (billions of bytes) reads as an empty page."""
    try:
        return LexborHTMLParser(limit_nesting(source), options=_PARSE_OPTIONS)
    except (SelectolaxError, ValueError, RuntimeError, MemoryError):
        return LexborHTMLParser(b"")


def parse_json(text: str) -> Any:
    """The value of a JSON text, or None where it cannot be read."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError):
        pass
    try:
        # Halves of surrogate pairs, from texts that were cut in the middle of an emoji, are let through here.
        lenient = json.dumps(json.loads(text), ensure_ascii=False).encode(UTF_8, "replace")
        return msgspec.json.decode(lenient)
    except (msgspec.DecodeError, RecursionError, ValueError):
        return None


def _xml_parser() -> etree.XMLParser:
    return etree.XMLParser(
        encoding=UTF_8, resolve_entities=False, no_network=True, load_dtd=False, recover=True, huge_tree=False
    )


def _html_parser() -> etree.HTMLParser:
    return etree.HTMLParser(encoding=UTF_8, no_network=True, recover=True, huge_tree=True)


def _read_anchors(tree: LexborHTMLParser) -> tuple[list[LexborNode], list[str]]:
    nodes = tree.tags("a")
    hrefs = [node.attrs.get("href") for node in nodes]
    if None in hrefs:
        nodes = [node for node, href in zip(nodes, hrefs, strict=True) if href is not None]
    return nodes, [href for href in hrefs if href is not None]


def _read_base(tree: LexborHTMLParser) -> str | None:
    for node in tree.tags("base"):
        href = node.attrs.get("href")
        if href is not None:
            return href.strip()
    return None
