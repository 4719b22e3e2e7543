"""The extraction spec: which fields a crawl takes from its pages.

It is a mapping of names to selectors, or to objects that say more:

    {"title": "h1", "tags[]": "a.tag",
     "products": {"selector": "div.product",
                  "fields": {"name": "h2", "price": {"selector": ".price", "type": "number"}}}}

A mapping with nothing but selectors is *flat* and follows the container rule of `flat_spec`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from crawlmesh.crawl.extraction.document import Document
from crawlmesh.crawl.extraction.field import Field
from crawlmesh.crawl.extraction.field_parser import parse_fields
from crawlmesh.crawl.extraction.flat_spec import FlatSpec
from crawlmesh.errors import SelectorError

_TOP_LEVEL_KEYS = frozenset({"selectors", "metadata"})


class ExtractionSpec:
    """What to extract. Compiled once, used for any number of pages; keeps nothing between them."""

    __slots__ = ("_flat", "_selectors", "fields", "metadata")

    def __init__(self, selectors: Mapping[str, Any], *, metadata: bool = False) -> None:
        """Compile a mapping of names to fields. Raises SelectorError."""
        self.fields: tuple[Field, ...] = parse_fields(selectors, "")
        self.metadata = metadata
        self._selectors = msgspec.to_builtins(dict(selectors))
        is_flat = all(isinstance(value, str) for value in selectors.values())
        self._flat = FlatSpec(self.fields) if is_flat else None

    def read(self, document: Document) -> dict[str, Any]:
        """The fields of one page."""
        if self._flat is not None:
            return self._flat.read(document)
        return {field.name: field.read(document) for field in self.fields}

    def to_json(self) -> dict[str, Any]:
        """The spec as plain data, for `from_json`."""
        return {"selectors": self._selectors, "metadata": self.metadata}

    @classmethod
    def from_json(cls, document: Any) -> "ExtractionSpec":
        """Read a spec from plain data: the fields, or an object with `selectors` (and `metadata`).

        Raises SelectorError, naming the path of what is wrong.
        """
        if not isinstance(document, Mapping):
            raise SelectorError(
                f"the extraction spec must be a mapping of names to selectors, not {document!r}."
            )
        if not isinstance(document.get("selectors"), Mapping):
            return _with_fields(cls(document))
        for key in document:
            if key not in _TOP_LEVEL_KEYS:
                raise SelectorError(f"{key}: beside 'selectors' only 'metadata' may stand.")
        metadata = document.get("metadata", False)
        if not isinstance(metadata, bool):
            raise SelectorError(f"metadata: must be true or false, not {metadata!r}.")
        return _with_fields(cls(document["selectors"], metadata=metadata))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExtractionSpec) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(msgspec.json.encode(self.to_json()))

    def __reduce__(self) -> tuple[Any, ...]:
        return ExtractionSpec.from_json, (self.to_json(),)


def parse_selections(selections: Iterable[str]) -> ExtractionSpec:
    """The flat spec of `name=SELECTOR` texts. Raises SelectorError."""
    selectors: dict[str, Any] = {}
    for selection in selections:
        name, equals, selector = selection.partition("=")
        if not equals or not name.strip():
            raise SelectorError(f"{selection!r} is not of the form NAME=SELECTOR, as in 'title=h1'.")
        if name.strip() in selectors:
            raise SelectorError(f"{name.strip()}: the name is given twice; every field needs its own name.")
        selectors[name.strip()] = selector
    return ExtractionSpec(selectors)


def _with_fields(spec: ExtractionSpec) -> ExtractionSpec:
    if not spec.fields and not spec.metadata:
        raise SelectorError("the extraction spec has no fields; write at least one, as in {'title': 'h1'}.")
    return spec
