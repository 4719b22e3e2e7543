"""JMESPath selectors, for pages that are JSON."""

from typing import Any

import jmespath
from jmespath.exceptions import ArityError, JMESPathError, UnknownFunctionError

from crawlmesh.crawl.extraction.compiled_selector import CompiledSelector, selector_error
from crawlmesh.crawl.extraction.document import Document

_EXAMPLE = "jmespath:items[*].name"


class JsonSelector(CompiledSelector):
    """A JMESPath expression. The items of a list that it gives are its matches."""

    __slots__ = ("_expression",)

    language = "jmespath"

    def __init__(self, text: str, expression: Any) -> None:
        super().__init__(text)
        self._expression = expression

    def first(self, document: Document, scope: Any = None) -> Any:
        """The first match."""
        matches = self.all(document, scope)
        return matches[0] if matches else None

    def all(self, document: Document, scope: Any = None) -> list[Any]:
        """All matches."""
        value = document.json if scope is None else scope
        if value is None:
            return []
        try:
            result = self._expression.search(value)
        except (JMESPathError, RecursionError, TypeError, ValueError):
            return []  # a function was given what it cannot take, as in length(null)
        if result is None:
            return []
        return result if isinstance(result, list) else [result]

    def scopes(self, document: Document, scope: Any = None) -> list[Any]:
        """The matches that are objects."""
        return [match for match in self.all(document, scope) if isinstance(match, dict)]


def compile_json(name: str, text: str, expression: str) -> JsonSelector:
    """Compile a JMESPath expression, or raise a SelectorError."""
    if not expression:
        raise selector_error(name, text, "is empty after its prefix", _EXAMPLE)
    try:
        compiled = jmespath.compile(expression)
    except (JMESPathError, RecursionError, ValueError) as error:
        reason = str(error).splitlines()[0].rstrip(". ")
        raise selector_error(name, text, f"is not valid JMESPath ({reason})", _EXAMPLE) from None
    try:
        compiled.search({})
    except (UnknownFunctionError, ArityError) as error:
        raise selector_error(name, text, f"is not valid JMESPath ({error})", _EXAMPLE) from None
    except (JMESPathError, TypeError, ValueError):
        pass  # fails on an empty object, may succeed on a page
    return JsonSelector(text, compiled)
