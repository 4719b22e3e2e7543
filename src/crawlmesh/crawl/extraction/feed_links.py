"""The links of RSS and Atom feeds."""

from lxml import etree

from crawlmesh.crawl.extraction.document import Document

_FEED_ROOTS = frozenset({"rss", "feed", "RDF"})
_FOLLOWED_RELATIONS = frozenset({"", "alternate", "next", "prev", "previous"})


def feed_links(document: Document) -> list[str]:
    """The addresses that a feed links to: `<link>` of RSS, `<link href>` of Atom. Empty for other XML."""
    root = document.lxml_tree
    if root is None or etree.QName(root).localname not in _FEED_ROOTS:
        return []
    links = []
    for element in root.iter("{*}link"):
        href = element.get("href")
        if href is None:
            href = (element.text or "").strip()
        elif element.get("rel", "") not in _FOLLOWED_RELATIONS:
            continue
        if href:
            links.append(href)
    return links
