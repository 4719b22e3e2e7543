"""Lists that come in pages."""

from collections.abc import AsyncIterator
from typing import Any, Generic, TypeVar

import msgspec

from crawlmesh.client.connection import Connection, Query

Item = TypeVar("Item")


class Page(msgspec.Struct, Generic[Item], frozen=True):
    """Some items, and where the next page begins (None: nowhere)."""

    items: list[Item]
    next_cursor: str | None = None


async def all_items(
    connection: Connection, path: str, item: type[Item], query: Query, page_size: int
) -> AsyncIterator[Item]:
    """The items of all pages."""
    cursor: str | None = None
    page_type: Any = Page[item]  # type: ignore[valid-type]
    while True:
        page: Page[Item] = await connection.ask(
            "GET", path, page_type, query={**query, "cursor": cursor, "limit": page_size}
        )
        for each in page.items:
            yield each
        cursor = page.next_cursor
        if cursor is None:
            return
