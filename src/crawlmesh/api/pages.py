"""Lists in pages: a cursor is the position where the next page begins."""

from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from fastapi import Query

from crawlmesh.protocol.cursors import HOST_CURSOR, ID_CURSOR, NUMBER_CURSOR, TASK_CURSOR

Item = TypeVar("Item")

LARGEST_PAGE = 1000


def _cursor(pattern: str, example: str, more: str = "") -> Any:
    description = (
        f"`next_cursor` of the page before: goes on there, under the conditions of this request{more}."
    )
    return Query(pattern=pattern, description=description, examples=[example])


Limit = Annotated[int, Query(ge=1, le=LARGEST_PAGE, description="The most items to answer with.")]
TaskCursor = Annotated[
    str | None,
    _cursor(
        TASK_CURSOR, "-created_at~1686825045.123~task-01HF3Z8Q4V6N2K7M9P1R3T5W7X", " and in its own order"
    ),
]
NodeCursor = Annotated[str | None, _cursor(ID_CURSOR, "node-1a2b3c4d")]
ExecutionCursor = Annotated[str | None, _cursor(ID_CURSOR, "exec-01HF3Z8Q4V6N2K7M9P1R3T5W7X")]
HostCursor = Annotated[str | None, _cursor(HOST_CURSOR, "example.com")]
FailureCursor = Annotated[str | None, _cursor(NUMBER_CURSOR, "100")]
RecordCursor = Annotated[str | None, _cursor(NUMBER_CURSOR, "100")]


class Page(msgspec.Struct, Generic[Item], frozen=True):
    """Some items, and where the next page begins; null where this is the last one."""

    items: Sequence[Item]
    next_cursor: str | None = None
