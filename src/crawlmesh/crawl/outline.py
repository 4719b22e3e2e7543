"""The outline of a page: its elements as a short tree, each with a selector that people can use."""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from crawlmesh.crawl.outline_selectors import Candidate, Totals, selector_of
from crawlmesh.model.preview import OutlineNode

MOST_NODES = 800
_MOST_ELEMENTS = 50_000  # that are looked at
_DEEPEST = 60  # levels
_MOST_TEXT = 120  # characters
_LONGEST_ATTRIBUTE = 200  # characters
_MOST_CLASSES = 12

_UNSEEN = frozenset({"script", "style", "noscript", "template", "br", "hr", "wbr", "link", "base"})
_LEAVES = frozenset({"svg", "math", "select", "iframe", "object", "video", "audio", "canvas", "picture"})
_ATTRIBUTES = (
    "href", "src", "content", "name", "property", "itemprop", "alt", "title", "datetime", "value", "rel",
)  # fmt: skip
_TOLD_APART_BY = ("name", "property", "itemprop")  # elements of the head, which have no classes


class Outline(NamedTuple):
    """The tree, and whether parts of the page are missing from it."""

    nodes: list[OutlineNode]
    truncated: bool


class _Element(NamedTuple):
    node: LexborNode
    kind: Candidate
    children: list["_Element"]


class _Group(NamedTuple):
    """Elements that look alike and have alike parents, on their way into the tree."""

    elements: Sequence[_Element]
    number: int  # of them in one parent
    into: list[OutlineNode]
    parent: str  # selector of their parents
    siblings: Sequence[Candidate]
    depth: int


def outline_of(tree: LexborHTMLParser) -> Outline:
    """The outline of a page, from the outside inwards: what is cut off lies deepest."""
    reading = _Reading()
    tops = [reading.read(top) for top in (tree.head, tree.body) if top is not None]
    totals = Totals(reading.kinds)
    nodes: list[OutlineNode] = []
    waiting = deque(_Group([top], 1, nodes, "", (), 0) for top in tops if top.children)
    truncated, number = reading.truncated, 0
    while waiting:
        group = waiting.popleft()
        if number == MOST_NODES or group.depth == _DEEPEST:
            truncated = True
            continue
        number += 1
        kind = group.elements[0].kind
        selector = selector_of(kind, len(group.elements), group.parent, group.siblings, totals)
        node = _outline_node(group, selector)
        group.into.append(node)
        waiting.extend(_inside(group, node))
    return Outline(nodes, truncated)


def _inside(group: _Group, node: OutlineNode) -> Iterator[_Group]:
    folded = _folded(group.elements)
    kinds = [elements[0].kind for elements, _ in folded]
    for elements, count in folded:
        yield _Group(elements, count, node.children, node.selector, kinds, group.depth + 1)


class _Reading:
    """Reads elements, up to a limit, and counts the kinds that there are."""

    def __init__(self) -> None:
        self.kinds: Counter[Candidate] = Counter()
        self.truncated = False
        self._left = _MOST_ELEMENTS

    def read(self, top: LexborNode) -> _Element:
        """An element with all that is in it."""
        first = self._element(top)
        waiting = [first]
        while waiting:
            element = waiting.pop()
            if element.kind.tag in _LEAVES:
                continue
            for child in element.node.iter():
                if child.tag in _UNSEEN:
                    continue
                if not self._left:
                    self.truncated = True
                    return first
                element.children.append(self._element(child))
            waiting.extend(reversed(element.children))
        return first

    def _element(self, node: LexborNode) -> _Element:
        self._left -= 1
        attributes = node.attributes
        classes = dict.fromkeys((attributes.get("class") or "").split()[:_MOST_CLASSES])
        mark: tuple[str, ...] = ()
        if node.tag == "meta":
            mark = next(((name, value) for name in _TOLD_APART_BY if (value := attributes.get(name))), ())
        kind = Candidate(node.tag or "", attributes.get("id") or "", tuple(classes), mark)
        self.kinds[kind] += 1
        return _Element(node, kind, [])


def _folded(alike: Sequence[_Element]) -> list[tuple[list[_Element], int]]:
    """The children of elements that look alike, those that look alike together.

    With how many of them one parent has.
    """
    groups: dict[object, list[_Element]] = {}
    counts: dict[object, int] = {}
    for parent in alike:
        here: Counter[object] = Counter()
        for child in parent.children:
            key = child.kind.likeness
            groups.setdefault(key, []).append(child)
            here[key] += 1
        for key, number in here.items():
            counts.setdefault(key, number)
    return [(group, counts[key]) for key, group in groups.items()]


def _outline_node(group: _Group, selector: str) -> OutlineNode:
    first = group.elements[0]
    attributes = first.node.attributes
    return OutlineNode(
        selector=selector,
        tag=first.kind.tag,
        id=first.kind.id or None,
        classes=list(first.kind.classes),
        text=_text(first.node),
        attributes={
            name: value[:_LONGEST_ATTRIBUTE] for name in _ATTRIBUTES if (value := attributes.get(name))
        },
        count=group.number,
        children=[],
    )


def _text(node: LexborNode) -> str:
    """The first words in an element, with white space as people see it."""
    words: list[str] = []
    length = 0
    for word in _words(node.traverse(include_text=True)):
        words.append(word)
        length += len(word) + 1
        if length > _MOST_TEXT:
            break
    text = " ".join(words)
    return text if len(text) <= _MOST_TEXT else f"{text[: _MOST_TEXT - 1]}…"


def _words(nodes: Iterable[LexborNode]) -> Iterator[str]:
    for node in nodes:
        if node.is_text_node and (node.parent is None or node.parent.tag not in _UNSEEN):
            yield from (node.text_content or "").split()
