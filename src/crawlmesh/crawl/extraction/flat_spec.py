"""Flat specs: nothing but names and selectors, and the page says how they belong together.

A plain CSS selector (no `::` ending, no `[]`) whose elements contain matches of other fields is a
*container* on that page:

    product = div.product, title = h2.title, price = span.price
    →  {"products": [{"title": "Product 1", "price": "$19.99", "url": "/products/1"}, …]}

* The key is the plural of the container's name; its own text is not taken.
* Each element gives one object with the first match of each contained field, None where it has
  none, and `url`: the href, as written, of its first link (or its own), unless a field has that name.
* A match belongs to the innermost container around it, so containers nest. A field that has
  matches in a container is read from containers only; all others stay at the top level.
* Fields that match nothing on the page are None: inside the objects where the page has one kind of
  container, so that the objects look alike on all pages, else at the top level.
* Headings, paragraphs and inline elements are never containers, so that `title = h2` beside
  `link = h2 a::attr(href)` stays what it says; the first matched element decides.
* XPath, `re:` and JMESPath fields always stay at the top level.

A page without any container gives every field under its own name. Nothing is remembered between pages.
"""

from typing import Any

from selectolax.lexbor import LexborNode

from crawlmesh.crawl.extraction.container_places import Place, PlaceMap, container_around
from crawlmesh.crawl.extraction.css_selector import CssSelector
from crawlmesh.crawl.extraction.document import Document
from crawlmesh.crawl.extraction.field import Field
from crawlmesh.crawl.extraction.plural import plural

_TEXT_TAGS = frozenset(
    {
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "p",
            "pre",
            "title",
            "dt",
            "legend",
            "caption",
            "label",
            "button",
        ),
        *("span", "b", "i", "u", "s", "em", "strong", "small", "mark", "time", "code", "q", "cite", "abbr"),
        *("sub", "sup", "del", "ins"),
    }
)
_URL = "url"

# All of these are by the index of a field.
_Nodes = dict[int, list[LexborNode]]
_Owners = dict[int, list[Place | None]]  # of each match: the place around it
_Kinds = dict[int, set[int]]  # the containers in which a field was found


class FlatSpec:
    """Reads the fields of a flat spec from pages."""

    __slots__ = ("_candidates", "_css", "_fields", "_list_names", "_wants_url")

    def __init__(self, fields: tuple[Field, ...]) -> None:
        self._fields = fields
        names = {field.name for field in fields}
        self._wants_url = _URL not in names
        self._list_names = [_list_name(field.name, names) for field in fields]
        self._css = {
            index: field.selector
            for index, field in enumerate(fields)
            if isinstance(field.selector, CssSelector)
        }
        self._candidates = [
            index
            for index, selector in self._css.items()
            if selector.ending is None and not fields[index].all and selector.css not in _TEXT_TAGS
        ]

    def read(self, document: Document) -> dict[str, Any]:
        """The fields of one page."""
        if not self._candidates or len(self._css) < 2 or document.tree is None:
            return {field.name: field.read(document) for field in self._fields}
        nodes = {index: selector.nodes(document) for index, selector in self._css.items()}
        place_map = PlaceMap()
        places = {
            index: place_map.add(index, nodes[index])
            for index in self._candidates
            if _may_contain(nodes[index])
        }
        if places:
            owners = {index: place_map.owners(found) for index, found in nodes.items()}
            inside = _kinds_around(owners)
            kinds: set[int] = set().union(*(found - {index} for index, found in inside.items()))
            if 0 < len(kinds) < len(places):
                owners = _owners_of_kinds(kinds, places, owners)
                inside = _kinds_around(owners)
            if kinds:
                record = self._read_containers(document, nodes, places, owners, inside, kinds)
                if self._wants_url:
                    _take_urls(document, place_map, nodes, places, kinds)
                return record
        return {field.name: self._plain(index, document, nodes) for index, field in enumerate(self._fields)}

    def _read_containers(
        self,
        document: Document,
        nodes: _Nodes,
        places: _Owners,
        owners: _Owners,
        inside: _Kinds,
        kinds: set[int],
    ) -> dict[str, Any]:
        if len(kinds) == 1:
            inside.update((index, kinds) for index, found in nodes.items() if not found)
        for kind in kinds:
            self._start_records(kind, places[kind], inside, kinds)
        return self._fill(document, nodes, places, owners, inside, kinds)

    def _start_records(self, kind: int, places: list[Place | None], inside: _Kinds, kinds: set[int]) -> None:
        """Give the containers of one kind their objects, with every key but nothing found yet."""
        lists: list[str] = []
        template: dict[str, Any] = {}
        for index, found in inside.items():
            if kind in found:
                name = self._list_names[index] if index in kinds else self._fields[index].name
                template[name] = None
                if index in kinds or self._fields[index].all:
                    lists.append(name)
        if self._wants_url:
            template[_URL] = None
        for place in places:
            if place is not None:
                place.record = record = template.copy()
                for name in lists:
                    record[name] = []

    def _fill(
        self,
        document: Document,
        nodes: _Nodes,
        places: _Owners,
        owners: _Owners,
        inside: _Kinds,
        kinds: set[int],
    ) -> dict[str, Any]:
        """Put what was found into the containers' objects. Returns the top level."""
        top: dict[str, Any] = {}
        for index, field in enumerate(self._fields):
            if index in kinds:
                self._nest(self._list_names[index], places[index], owners[index], top)
            elif not inside.get(index):
                top[field.name] = self._plain(index, document, nodes)
            elif field.all:
                _fill_lists(field.name, self._css[index], nodes[index], owners[index])
            else:
                _fill_values(field.name, self._css[index], nodes[index], owners[index])
        return top

    def _nest(
        self, name: str, places: list[Place | None], owners: list[Place | None], top: dict[str, Any]
    ) -> None:
        outermost: list[dict[str, Any]] = []
        for place, owner in zip(places, owners, strict=True):
            if place is not None:
                (outermost if owner is None else owner.record[name]).append(place.record)
        if outermost:
            top[name] = outermost

    def _plain(self, index: int, document: Document, nodes: _Nodes) -> Any:
        """The value of a field that is in no container."""
        field = self._fields[index]
        selector = self._css.get(index)
        if selector is None:
            return field.read(document)
        found = (selector.value(node) for node in nodes[index])
        values = (value for value in found if value is not None)
        return list(values) if field.all else next(values, None)


def _may_contain(found: list[LexborNode]) -> bool:
    return bool(found) and found[0].tag not in _TEXT_TAGS


def _kinds_around(owners: _Owners) -> _Kinds:
    return {index: {owner.kind for owner in found if owner is not None} for index, found in owners.items()}


def _fill_values(
    name: str, selector: CssSelector, nodes: list[LexborNode], owners: list[Place | None]
) -> None:
    value = selector.value
    for node, owner in zip(nodes, owners, strict=True):
        if owner is not None and owner.record[name] is None:
            owner.record[name] = value(node)


def _fill_lists(
    name: str, selector: CssSelector, nodes: list[LexborNode], owners: list[Place | None]
) -> None:
    for node, owner in zip(nodes, owners, strict=True):
        value = None if owner is None else selector.value(node)
        if owner is not None and value is not None:
            owner.record[name].append(value)


def _owners_of_kinds(kinds: set[int], places: _Owners, owners: _Owners) -> _Owners:
    """The owners, without the places that turned out to contain nothing."""
    for index, found in places.items():
        for place, owner in zip(found, owners[index], strict=True):
            if place is not None:
                place.owner = owner
    return {index: [container_around(place, kinds) for place in found] for index, found in owners.items()}


def _take_urls(
    document: Document, place_map: PlaceMap, nodes: _Nodes, places: _Owners, kinds: set[int]
) -> None:
    for kind in kinds:
        for node, place in zip(nodes[kind], places[kind], strict=True):
            if place is not None and node.tag == "a":
                place.record[_URL] = node.attrs.get("href")
    links, hrefs = document.anchors
    for owner, href in zip(place_map.owners(links), hrefs, strict=True):
        if owner is not None:
            container = owner if owner.kind in kinds else container_around(owner, kinds)
            if container is not None and container.record[_URL] is None:
                container.record[_URL] = href


def _list_name(name: str, names: set[str]) -> str:
    several = plural(name)
    return name if several in names else several
