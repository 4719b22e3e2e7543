"""The links of a page, as written: resolving and judging them is the engine's business."""

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawlmesh.crawl.extraction.content_kind import DocumentKind
from crawlmesh.crawl.extraction.document import Document
from crawlmesh.crawl.extraction.feed_links import feed_links
from crawlmesh.crawl.extraction.sitemap_links import sitemap_links

_SOURCES = (("area", "href"), ("iframe", "src"), ("frame", "src"))
_FOLLOWED_RELATIONS = frozenset({"next", "prev", "previous"})


class PageLinks(msgspec.Struct, frozen=True):
    """The links of a page and what its author says about following them."""

    hrefs: list[str] = []  # as written
    base: str | None = None  # href of `<base>`, as written
    nofollow: bool = False  # `<meta name="robots">` asks not to follow the page's links
    noindex: bool = False  # … not to keep the page


def page_links(document: Document, *, respect_nofollow: bool = False) -> PageLinks:
    """The links of a page: `a`, `area`, frames and `link rel=next|prev`; or those of a feed or a sitemap.

    With `respect_nofollow`, links that say `rel=nofollow` are left out. The robots meta tag is
    reported only: what to do about it is the caller's decision.
    """
    if document.kind is DocumentKind.XML:
        return PageLinks(_xml_links(document))
    tree = document.tree
    if tree is None:
        return PageLinks()
    nodes, hrefs = document.anchors
    if respect_nofollow:
        hrefs = [href for node, href in zip(nodes, hrefs, strict=True) if not _says_nofollow(node)]
    else:
        hrefs = hrefs.copy()
    for tag, attribute in _SOURCES:
        for node in tree.tags(tag):
            if not (respect_nofollow and _says_nofollow(node)):
                _add(hrefs, node, attribute)
    for node in tree.tags("link"):
        if not _FOLLOWED_RELATIONS.isdisjoint(_relations(node)):
            _add(hrefs, node, "href")
    directives = _robots_directives(tree)
    return PageLinks(
        hrefs,
        document.base,
        nofollow="nofollow" in directives or "none" in directives,
        noindex="noindex" in directives or "none" in directives,
    )


def _xml_links(document: Document) -> list[str]:
    sitemap = sitemap_links(document)
    return sitemap.pages + sitemap.sitemaps + feed_links(document)


def _robots_directives(tree: LexborHTMLParser) -> set[str]:
    directives: set[str] = set()
    for node in tree.tags("meta"):
        attributes = node.attributes
        if (attributes.get("name") or "").strip().lower() == "robots":
            content = attributes.get("content") or ""
            directives.update(content.lower().replace(",", " ").split())
    return directives


def _add(hrefs: list[str], node: LexborNode, attribute: str) -> None:
    value = node.attrs.get(attribute)
    if value is not None:
        hrefs.append(value)


def _relations(node: LexborNode) -> list[str]:
    return (node.attrs.get("rel") or "").lower().split()


def _says_nofollow(node: LexborNode) -> bool:
    return "nofollow" in _relations(node)
