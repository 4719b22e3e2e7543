"""What can be seen of one page: its outline, and what fields take from it."""

from typing import Any

import msgspec

from crawlmesh.crawl.extraction import Document, ExtractionSpec, Extractor, page_links
from crawlmesh.crawl.extraction.content_kind import DocumentKind
from crawlmesh.crawl.extraction.metadata import page_title
from crawlmesh.crawl.outline import outline_of
from crawlmesh.errors import SelectorError
from crawlmesh.model.preview import OutlineNode


class PageLook(msgspec.Struct, frozen=True):
    """The page itself, whatever is taken from it."""

    kind: str
    title: str | None
    links: int
    outline: list[OutlineNode]
    truncated: bool


class PageYield(msgspec.Struct, frozen=True):
    """The record of a page, and why some fields are not in it."""

    data: dict[str, Any]
    problems: dict[str, str]


def look_at(document: Document) -> PageLook:
    """The page itself. Takes up to some tenths of a second where it is large."""
    is_page = document.kind is DocumentKind.HTML and document.tree is not None
    outline = outline_of(document.tree) if is_page and document.tree is not None else None
    return PageLook(
        kind=document.kind.value,
        title=page_title(document),
        links=len(page_links(document).hrefs),
        outline=outline.nodes if outline else [],
        truncated=outline is not None and outline.truncated,
    )


def take_from(document: Document, fields: dict[str, Any], *, metadata: bool) -> PageYield:
    """What a crawl would take, as far as the fields can be understood; the title where none is named."""
    good, problems = _understood(fields, metadata=metadata)
    if problems and not good and not metadata:
        return PageYield({}, problems)
    return PageYield(Extractor(ExtractionSpec(good) if good else None, metadata).extract(document), problems)


def _understood(fields: dict[str, Any], *, metadata: bool) -> tuple[dict[str, Any], dict[str, str]]:
    """The fields that can be read, each by itself and together, and what is wrong with the others."""
    good: dict[str, Any] = {}
    problems: dict[str, str] = {}
    names: set[str] = set()
    for name, field in fields.items():
        try:
            spec = ExtractionSpec({name: field})
            Extractor(spec, metadata)
        except SelectorError as error:
            problems[name] = str(error)
            continue
        plain = spec.fields[0].name
        if plain in names:
            problems[name] = f"{plain}: the name is given twice; every field needs its own name."
            continue
        names.add(plain)
        good[name] = field
    return good, problems
