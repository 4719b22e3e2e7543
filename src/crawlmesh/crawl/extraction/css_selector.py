"""CSS selectors, with an ending that says what to take: `::text`, `::attr(name)` or `::html`."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from selectolax.lexbor import LexborCSSSelector, LexborHTMLParser, LexborNode, SelectolaxError

from crawlmesh.crawl.extraction.compiled_selector import CompiledSelector, selector_error
from crawlmesh.crawl.extraction.document import Document

_EXAMPLE = "h2.title::text"
_ENDING = re.compile(r"::([a-zA-Z-]*)(\([^()]*\))?\s*\Z")
_ATTRIBUTE_NAME = re.compile(r"[^\s\"'<>/=()]+")
_TAG_NAME = re.compile(r"[a-z][a-z0-9]*")
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|\\.", re.DOTALL)
_CLOSING = {")": "(", "]": "["}
_HINTS = (
    ("/", "XPath starts with 'xpath:'"),
    ("./", "XPath starts with 'xpath:'"),
    ("$", "JSON is read with JMESPath, which starts with 'jmespath:'"),
    (">", "a selector cannot start with a combinator"),
)


class CssSelector(CompiledSelector):
    """A CSS selector. Without CSS before its ending it takes the scope itself."""

    __slots__ = ("_engine", "_is_tag_name", "css", "ending", "value")

    language = "css"

    def __init__(self, text: str, css: str, ending: str | None, attribute: str | None) -> None:
        super().__init__(text)
        self.css = css
        self.ending = ending
        self.value: Callable[[LexborNode], str | None] = _reader(ending, attribute)
        """What the ending takes from an element; None where it has no such attribute."""
        self._is_tag_name = _TAG_NAME.fullmatch(css) is not None
        self._engine = LexborCSSSelector()  # type: ignore[no-untyped-call]

    def first(self, document: Document, scope: LexborNode | None = None) -> str | None:
        """The value of the first match that has one."""
        root = scope or _root(document)
        if root is None:
            return None
        node = root.css_first(self.css) if self.css else root
        if node is None:
            return None
        if not self.css or scope is None or node.mem_id != scope.mem_id:
            value = self.value(node)
            if value is not None:
                return value
        return next(self._values(self.nodes(document, scope)), None)

    def all(self, document: Document, scope: LexborNode | None = None) -> list[Any]:
        """The values of every match that has one."""
        return list(self._values(self.nodes(document, scope)))

    def scopes(self, document: Document, scope: LexborNode | None = None) -> list[Any]:
        """The matched elements."""
        return self.nodes(document, scope)

    def nodes(self, document: Document, scope: LexborNode | None = None) -> list[LexborNode]:
        """The matched elements, each once. The scope itself is not among them."""
        root = scope or _root(document)
        if root is None:
            return []
        if not self.css:
            return [root]
        if self._is_tag_name and scope is None and document.tree is not None:
            return document.tree.tags(self.css)
        nodes = self._engine.find(self.css, root)
        if "," in self.css:
            nodes = list({node.mem_id: node for node in nodes}.values())
        if scope is not None and nodes and nodes[0].mem_id == scope.mem_id:
            del nodes[0]
        return nodes

    def _values(self, nodes: Iterable[LexborNode]) -> Iterator[str]:
        for node in nodes:
            value = self.value(node)
            if value is not None:
                yield value


def compile_css(name: str, text: str, source: str) -> CssSelector:
    """Compile a CSS selector, or raise a SelectorError. `source` is `text` without its prefix."""
    css, ending, attribute = _split_ending(name, text, source.strip())
    if css:
        _check_css(name, text, css)
    elif ending is None:
        raise selector_error(name, text, "is empty", _EXAMPLE)
    return CssSelector(text, css, ending, attribute)


def _split_ending(name: str, text: str, source: str) -> tuple[str, str | None, str | None]:
    found = _ENDING.search(source)
    if found is None:
        return source, None, None
    ending, argument = found[1], found[2]
    if ending in ("text", "html") and argument is None:
        return source[: found.start()].strip(), ending, None
    if ending == "attr" and argument is not None:
        attribute = argument[1:-1].strip()
        if not _ATTRIBUTE_NAME.fullmatch(attribute):
            raise selector_error(name, text, "names no attribute in ::attr()", "a.more::attr(href)")
        return source[: found.start()].strip(), ending, attribute.lower()
    problem = f"ends in {found[0].strip()!r}, but only ::text, ::attr(name) and ::html are known"
    raise selector_error(name, text, problem, _EXAMPLE)


def _check_css(name: str, text: str, css: str) -> None:
    if any(character < " " and character not in "\t\n\r\f" for character in css) or css.endswith("\\"):
        raise selector_error(name, text, "has characters that CSS does not allow", _EXAMPLE)
    if not _is_balanced(css):
        # CSS closes what is open at the end by itself, and so hides a typing mistake.
        raise selector_error(name, text, "has a bracket or a quote that is not closed", _EXAMPLE)
    try:
        LexborHTMLParser("").css(css)
    except (SelectolaxError, UnicodeEncodeError):
        hint = next((f"; {hint}" for start, hint in _HINTS if css.startswith(start)), "")
        if "::" in css:
            hint = "; ::text, ::attr(name) or ::html may stand once, at the end"
        raise selector_error(name, text, f"is not valid CSS{hint}", _EXAMPLE) from None


def _is_balanced(css: str) -> bool:
    open_brackets: list[str] = []
    for character in _QUOTED.sub("", css):
        if character in "([":
            open_brackets.append(character)
        elif character in ")]":
            if not open_brackets or open_brackets.pop() != _CLOSING[character]:
                return False
        elif character in "\"'":
            return False
    return not open_brackets


def _reader(ending: str | None, attribute: str | None) -> Callable[[LexborNode], str | None]:
    if attribute is not None:
        return lambda node: _attribute(node, attribute)
    return _html if ending == "html" else _text


def _attribute(node: LexborNode, name: str) -> str | None:
    attributes = node.attributes
    return (attributes[name] or "") if name in attributes else None


def _html(node: LexborNode) -> str | None:
    return node.html


def _text(node: LexborNode) -> str:
    return " ".join(node.text_lexbor().split())


def _root(document: Document) -> LexborNode | None:
    return None if document.tree is None else document.tree.root
