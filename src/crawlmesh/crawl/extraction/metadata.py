"""What a page says about itself in its head."""

from typing import Any

from selectolax.lexbor import LexborHTMLParser

from crawlmesh.crawl.extraction.compiled_selector import normalised
from crawlmesh.crawl.extraction.document import Document, parse_json


def page_metadata(document: Document) -> dict[str, Any]:
    """Title, description, canonical URL, language, Open Graph and JSON-LD; None or empty where not given."""
    tree = document.tree
    metadata: dict[str, Any] = {
        "title": page_title(document),
        "description": None,
        "canonical": None,
        "language": None,
        "open_graph": {},
        "json_ld": [],
    }
    if tree is not None:
        _read_meta_tags(tree, metadata)
        metadata["canonical"] = _canonical(document, tree)
        metadata["language"] = _language(tree)
        metadata["json_ld"] = _json_ld(tree)
    return metadata


def page_title(document: Document) -> str | None:
    """The text of `<title>`; a title inside a drawing does not count."""
    if document.tree is None:
        return None
    for node in document.tree.tags("title"):
        parent = node.parent
        if parent is not None and parent.tag in ("head", "body"):
            return normalised(node.text_lexbor())
    return None


def _read_meta_tags(tree: LexborHTMLParser, metadata: dict[str, Any]) -> None:
    open_graph: dict[str, Any] = metadata["open_graph"]
    for node in tree.tags("meta"):
        attributes = node.attributes
        content = attributes.get("content")
        key = (attributes.get("property") or attributes.get("name") or "").strip().lower()
        if not content or not key:
            continue
        if key == "description" and metadata["description"] is None:
            metadata["description"] = normalised(content)
        elif key.startswith("og:"):
            _add_property(open_graph, key.removeprefix("og:"), content.strip())


def _add_property(properties: dict[str, Any], key: str, value: str) -> None:
    """A property that is given several times, as images are, becomes a list."""
    known = properties.get(key)
    if known is None:
        properties[key] = value
    elif isinstance(known, list):
        known.append(value)
    else:
        properties[key] = [known, value]


def _canonical(document: Document, tree: LexborHTMLParser) -> str | None:
    for node in tree.tags("link"):
        attributes = node.attributes
        href = attributes.get("href")
        if href and "canonical" in (attributes.get("rel") or "").lower().split():
            return document.resolve(href)
    return None


def _language(tree: LexborHTMLParser) -> str | None:
    root = tree.root
    language = root.attributes.get("lang") if root is not None else None
    return language.strip() or None if language else None


def _json_ld(tree: LexborHTMLParser) -> list[Any]:
    found: list[Any] = []
    for node in tree.tags("script"):
        kind = (node.attributes.get("type") or "").partition(";")[0].strip().lower()
        value = parse_json(node.text_lexbor().strip()) if kind == "application/ld+json" else None
        if isinstance(value, list):
            found.extend(value)
        elif value is not None:
            found.append(value)
    return found
