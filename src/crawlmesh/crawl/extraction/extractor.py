"""Turns pages into records."""

from typing import Any

from crawlmesh.crawl.extraction.document import Document
from crawlmesh.crawl.extraction.metadata import page_metadata, page_title
from crawlmesh.crawl.extraction.spec import ExtractionSpec
from crawlmesh.errors import SelectorError

_METADATA = "metadata"


class Extractor:
    """Extracts one record from each page. Nothing on a page makes it raise."""

    __slots__ = ("_metadata", "_spec")

    def __init__(self, spec: ExtractionSpec | None = None, metadata: bool = False) -> None:
        """Without a spec and without metadata, records hold the page's title."""
        self._spec = spec if spec is not None and spec.fields else None
        self._metadata = metadata or (spec is not None and spec.metadata)
        if self._metadata and spec is not None and any(field.name == _METADATA for field in spec.fields):
            raise SelectorError(
                f"{_METADATA}: the name is taken by the page's own metadata; rename the field."
            )

    def extract(self, document: Document) -> dict[str, Any]:
        """The record of a page. Metadata stands under the key `metadata`."""
        if self._spec is not None:
            record = self._spec.read(document)
        elif self._metadata:
            record = {}
        else:
            return {"title": page_title(document)}
        if self._metadata:
            record[_METADATA] = page_metadata(document)
        return record
