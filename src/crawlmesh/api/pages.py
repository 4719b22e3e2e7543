"""Lists in pages: a cursor is opaque, belongs to one question, and is refused where it does not fit."""

import base64
import binascii
import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from fastapi import Query

from crawlmesh.errors import InvalidError

Item = TypeVar("Item")

LARGEST_PAGE = 1000

Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="The most items to answer with.")]
Cursor = Annotated[
    str | None,
    Query(
        max_length=2000,
        pattern="^[A-Za-z0-9_-]*$",
        description="`next_cursor` of the page before, asked with the same conditions.",
    ),
]


class Page(msgspec.Struct, Generic[Item], frozen=True):
    """Some items, and where the next page begins; null where this is the last one."""

    items: Sequence[Item]
    next_cursor: str | None = None


def pack_cursor(question: Sequence[Any], position: str | None) -> str | None:
    """The cursor for a position in the list that answers a question."""
    if position is None:
        return None
    content = position.encode()
    return base64.urlsafe_b64encode(_mark(question, content) + content).decode().rstrip("=")


def unpack_cursor(question: Sequence[Any], cursor: str | None) -> str | None:
    """The position in a cursor. Raises InvalidError where it is damaged, or of another question."""
    if cursor is None:
        return None
    try:
        packed = base64.urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        content = packed[_MARK_BYTES:]
        if packed[:_MARK_BYTES] == _mark(question, content):
            return content.decode()
    except (ValueError, binascii.Error):
        pass
    message = (
        "cursor is not one of this list under these conditions. Leave it out to begin with the first page."
    )
    raise InvalidError(message, "cursor")


_MARK_BYTES = 8


def _mark(question: Sequence[Any], content: bytes) -> bytes:
    return hashlib.sha256(msgspec.json.encode(question) + b"\x00" + content).digest()[:_MARK_BYTES]
