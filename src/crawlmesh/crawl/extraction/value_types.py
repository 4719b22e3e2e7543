"""Turns the text that a selector found into a number, a boolean or an absolute URL."""

import math
import re
from enum import StrEnum
from typing import Any

from crawlmesh.crawl.extraction.document import Document


class ValueType(StrEnum):
    """The types that a field may ask for."""

    STRING = "string"
    NUMBER = "number"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    URL = "url"


_LARGEST_INTEGER = 2**63 - 1
_NUMBER = re.compile(
    r"(?P<sign>[-\u2212])?[^\S\r\n]?[$€£¥₹]?[^\S\r\n]?"
    r"(?P<digits>\.?\d{1,40}(?:[.,'\u2019\u00a0\u202f ]\d{1,40}){0,20})"
)
_GROUP_SEPARATORS = re.compile(r"['\u2019\u00a0\u202f ]")
_TRUE = frozenset({"true", "yes", "y", "1", "on"})
_FALSE = frozenset({"false", "no", "n", "0", "off"})


def convert(value: Any, value_type: ValueType | None, document: Document) -> Any:
    """The value as the type, or None where it makes none."""
    if value is None or value_type is None:
        return value
    if value_type is ValueType.STRING:
        return value if isinstance(value, str) else _as_text(value)
    if value_type is ValueType.NUMBER:
        return _as_number(value)
    if value_type is ValueType.INTEGER:
        return _as_integer(value)
    if value_type is ValueType.BOOLEAN:
        return _as_boolean(value)
    return document.resolve(value) if isinstance(value, str) else None


def _as_text(value: Any) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int | float) else None


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(_plain_number(value) if isinstance(value, str) else value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _as_integer(value: Any) -> int | None:
    whole: int | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        whole = value
    elif isinstance(value, str) and _plain_number(value).lstrip("-").isdecimal():
        whole = int(_plain_number(value))
    else:
        number = _as_number(value)
        whole = int(number) if number is not None and number.is_integer() else None
    return whole if whole is not None and abs(whole) <= _LARGEST_INTEGER else None


def _as_boolean(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None


def _plain_number(text: str) -> str:
    """The first number in a text, as Python writes it; empty where there is none."""
    found = _NUMBER.search(text)
    if found is None:
        return ""
    # A space separates groups of thousands only where three digits follow it.
    digits = re.split(r"[\u00a0\u202f ](?!\d{3}(?!\d))", found["digits"])[0]
    digits = _plain_separators(_GROUP_SEPARATORS.sub("", digits))
    minus = found["sign"] and not text[: found.start()][-1:].isalnum()
    return f"-{digits}" if minus else digits


def _plain_separators(digits: str) -> str:
    """Of `.` and `,` the one that stands last and only once is the decimal point."""
    comma, point = digits.rfind(","), digits.rfind(".")
    if comma >= 0 and point >= 0:
        decimal, group = (",", ".") if comma > point else (".", ",")
        digits = digits.replace(group, "")
        return digits.replace(decimal, ".") if digits.count(decimal) == 1 else digits.replace(decimal, "")
    if comma >= 0:
        grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+", digits)
        return digits.replace(",", "") if grouped or digits.count(",") > 1 else digits.replace(",", ".")
    return digits.replace(".", "") if digits.count(".") > 1 else digits
