"""Regular expressions on the source text of a page."""

import re
import warnings
from typing import Any

import msgspec
from lxml import etree
from selectolax.lexbor import LexborNode

from crawlmesh.crawl.extraction.compiled_selector import CompiledSelector, selector_error
from crawlmesh.crawl.extraction.document import Document

_EXAMPLE = r"re:SKU-(\d+)"


class RegexSelector(CompiledSelector):
    """A regular expression.

    It gives an object where it has several named groups, else its first group, else all that matched.
    """

    __slots__ = ("_pattern",)

    language = "re"

    def __init__(self, text: str, pattern: re.Pattern[str]) -> None:
        super().__init__(text)
        self._pattern = pattern

    def first(self, document: Document, scope: Any = None) -> Any:
        """The value of the first match."""
        match = self._pattern.search(_source(document, scope))
        return self._value(match) if match else None

    def all(self, document: Document, scope: Any = None) -> list[Any]:
        """The values of all matches."""
        return [self._value(match) for match in self._pattern.finditer(_source(document, scope))]

    def scopes(self, document: Document, scope: Any = None) -> list[Any]:  # noqa: ARG002
        """A regular expression finds text, which is no scope."""
        return []

    def _value(self, match: re.Match[str]) -> Any:
        if len(self._pattern.groupindex) > 1:
            return match.groupdict()
        return match[1] if self._pattern.groups else match[0]


def compile_regex(name: str, text: str, expression: str) -> RegexSelector:
    """Compile a regular expression, or raise a SelectorError."""
    if not expression:
        raise selector_error(name, text, "is empty after its prefix", _EXAMPLE)
    try:
        with warnings.catch_warnings(action="ignore"):  # about what brackets may mean in later versions
            pattern = re.compile(expression)
    except (re.error, OverflowError, RecursionError) as error:
        raise selector_error(name, text, f"is not a valid regular expression ({error})", _EXAMPLE) from None
    return RegexSelector(text, pattern)


def _source(document: Document, scope: Any) -> str:
    if scope is None:
        return document.text
    if isinstance(scope, LexborNode):
        return scope.html or ""
    if isinstance(scope, etree._Element):  # noqa: SLF001
        return etree.tostring(scope, encoding="unicode", with_tail=False)
    return msgspec.json.encode(scope).decode()
