"""XPath 1.0 selectors, on libxml2's own tree of the page."""

import math
from typing import Any

from lxml import etree

from crawlmesh.crawl.extraction.compiled_selector import CompiledSelector, normalised, selector_error
from crawlmesh.crawl.extraction.document import Document
from crawlmesh.errors import SelectorError

_EXAMPLE = "xpath://h2[@class='title']"
_NAMESPACES = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "media": "http://search.yahoo.com/mrss/",
    "re": "http://exslt.org/regular-expressions",
    "sitemap": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "svg": "http://www.w3.org/2000/svg",
    "xhtml": "http://www.w3.org/1999/xhtml",
}
_STRING_VALUE = etree.XPath("string()", smart_strings=False)


class XpathSelector(CompiledSelector):
    """An XPath expression. Elements give their text; strings, numbers and booleans are taken as they are."""

    __slots__ = ("_evaluate",)

    language = "xpath"

    def __init__(self, text: str, evaluate: etree.XPath) -> None:
        super().__init__(text)
        self._evaluate = evaluate

    def first(self, document: Document, scope: Any = None) -> Any:
        """The value of the first result."""
        results = self._results(document, scope)
        return _value(results[0]) if results else None

    def all(self, document: Document, scope: Any = None) -> list[Any]:
        """The values of all results."""
        return [_value(result) for result in self._results(document, scope)]

    def scopes(self, document: Document, scope: Any = None) -> list[Any]:
        """The elements among the results."""
        return [result for result in self._results(document, scope) if isinstance(result, etree._Element)]  # noqa: SLF001

    def _results(self, document: Document, scope: Any) -> list[Any]:
        root = document.lxml_tree if scope is None else scope
        if root is None:
            return []
        try:
            results: Any = self._evaluate(root)
        except etree.XPathError:
            return []
        if isinstance(results, list):
            return results
        return [results]


def compile_xpath(name: str, text: str, expression: str) -> XpathSelector:
    """Compile an XPath expression, or raise a SelectorError."""
    if not expression:
        raise selector_error(name, text, "is empty after its prefix", _EXAMPLE)
    try:
        evaluate = etree.XPath(expression, namespaces=_NAMESPACES, smart_strings=False)
        # Unknown functions, variables and namespace prefixes show only when the expression runs.
        evaluate(etree.fromstring("<html><body><p class='a'>text</p></body></html>"))
    except etree.XPathError as error:
        raise _xpath_error(name, text, str(error)) from None
    except ValueError:
        raise _xpath_error(name, text, "characters that XML does not allow") from None
    return XpathSelector(text, evaluate)


def _xpath_error(name: str, text: str, reason: str) -> SelectorError:
    return selector_error(name, text, f"is not valid XPath ({reason.rstrip('.')})", _EXAMPLE)


def _value(result: Any) -> Any:
    if isinstance(result, etree._Element):  # noqa: SLF001
        return normalised(str(_STRING_VALUE(result)))
    if isinstance(result, tuple):
        return result[1]  # a namespace node: its prefix and its URI
    if isinstance(result, float) and not math.isfinite(result):
        return None
    return result
