"""What every selector can do once it is compiled, whatever its language."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from crawlmesh.crawl.extraction.document import Document
from crawlmesh.errors import SelectorError


class CompiledSelector(ABC):
    """Finds values on a page, or inside one `scope` of it: an element or a JSON object.

    A scope comes from `scopes` of a selector of the same language; None is the whole page.
    """

    __slots__ = ("text",)

    language: ClassVar[str]

    def __init__(self, text: str) -> None:
        self.text = text

    @abstractmethod
    def first(self, document: Document, scope: Any = None) -> Any:
        """The first value, or None."""

    @abstractmethod
    def all(self, document: Document, scope: Any = None) -> list[Any]:
        """Every value, in document order."""

    @abstractmethod
    def scopes(self, document: Document, scope: Any = None) -> list[Any]:
        """Every match as a scope for other selectors."""


def selector_error(name: str, text: str, problem: str, example: str) -> SelectorError:
    """The error for a selector that cannot be understood."""
    return SelectorError(f"{name}: the selector {text!r} {problem}. A good one is, for example, {example!r}.")


def normalised(text: str) -> str:
    """The text without white space around it, and with one space for any white space inside."""
    return " ".join(text.split())
