"""One field of an extraction spec, and how it reads its value from a page."""

from dataclasses import dataclass
from typing import Any

from crawlmesh.crawl.extraction.compiled_selector import CompiledSelector
from crawlmesh.crawl.extraction.container_places import Place, PlaceMap
from crawlmesh.crawl.extraction.css_selector import CssSelector
from crawlmesh.crawl.extraction.document import Document
from crawlmesh.crawl.extraction.value_types import ValueType, convert

_FEW = 4  # up to so many containers, selecting inside each is as fast as selecting once for all


@dataclass(frozen=True, slots=True)
class Field:
    """A named selector. With `fields` it is a container: each match gives an object of these."""

    name: str
    selector: CompiledSelector
    all: bool = False
    type: ValueType | None = None
    default: Any = None
    fields: "tuple[Field, ...]" = ()

    def read(self, document: Document, scope: Any = None) -> Any:
        """The field's value on a page, or in one scope of it."""
        if self.fields:
            return self._chosen(self._read_objects(document, scope))
        if self.all:
            return self.finish_all(self.selector.all(document, scope), document)
        return self.finish_first(self.selector.first(document, scope), document)

    def finish_first(self, value: Any, document: Document) -> Any:
        """What becomes of the first value found: its type, or the default."""
        if self.type is not None:
            value = convert(value, self.type, document)
        return self.default if value is None else value

    def finish_all(self, values: list[Any], document: Document) -> Any:
        """What becomes of all values found: their type, or the default where there are none."""
        if self.type is not None:
            values = [convert(value, self.type, document) for value in values]
        return self._chosen([value for value in values if value is not None])

    def _read_objects(self, document: Document, scope: Any) -> list[dict[str, Any]]:
        scopes = self.selector.scopes(document, scope)
        if scope is None and len(scopes) > _FEW and isinstance(self.selector, CssSelector):
            place_map = PlaceMap()
            places = [place for place in place_map.add(0, scopes) if place is not None]
            # An element inside of two containers belongs to both, which a place map cannot tell.
            if place_map.owners(scopes) == [None] * len(scopes):
                return self._read_places(document, scopes, places, place_map)
        return [{field.name: field.read(document, match) for field in self.fields} for match in scopes]

    def _read_places(
        self, document: Document, scopes: list[Any], places: list[Place], place_map: PlaceMap
    ) -> list[dict[str, Any]]:
        """Select each field once on the whole page, and see in which container each match lies."""
        for place in places:
            place.record = {}
        for field in self.fields:
            if field.fields or not isinstance(field.selector, CssSelector) or not field.selector.css:
                for place, match in zip(places, scopes, strict=True):
                    place.record[field.name] = field.read(document, match)
            else:
                field.read_into(document, field.selector, places, place_map)
        return [place.record for place in places]

    def read_into(
        self, document: Document, selector: CssSelector, places: list[Place], place_map: PlaceMap
    ) -> None:
        """Read the field for all containers of a page at once, into their objects."""
        name = self.name
        found: dict[Place, list[Any]] = {}
        nodes = selector.nodes(document)
        for node, place in zip(nodes, place_map.owners(nodes), strict=True):
            if place is not None and (self.all or place not in found):
                value = selector.value(node)
                if value is not None:
                    found.setdefault(place, []).append(value)
        for place in places:
            values = found.get(place, [])
            if self.all:
                place.record[name] = self.finish_all(values, document)
            else:
                place.record[name] = self.finish_first(values[0] if values else None, document)

    def _chosen(self, found: list[Any]) -> Any:
        if self.all:
            return found or (self.default if self.default is not None else [])
        return found[0] if found else self.default
