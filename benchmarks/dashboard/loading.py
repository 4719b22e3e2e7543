"""Putting many rows into tables at once."""

import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from typing import Any

import asyncpg

_BATCH = 20_000  # rows

_INDEXES = """
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = $1::text::regclass
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""


@contextmanager
def told(what: str) -> Iterator[None]:
    begun = time.monotonic()
    print(f"  {what} …", end=" ", flush=True)
    yield
    print(f"{time.monotonic() - begun:.0f} s", flush=True)


@asynccontextmanager
async def without_indexes(connection: asyncpg.Connection, *tables: str) -> AsyncIterator[None]:
    """Indexes are faster made of all rows at once. Those of constraints stay."""
    found = [row for table in tables for row in await connection.fetch(_INDEXES, table)]
    for name, _ in found:
        await connection.execute(f"DROP INDEX {name}")
    yield
    for _, definition in found:
        await connection.execute(definition)


async def copy(
    connection: asyncpg.Connection, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> int:
    """Returns how many there were."""
    left = iter(rows)
    copied = 0
    while batch := list(islice(left, _BATCH)):
        await connection.copy_records_to_table(table, records=batch, columns=list(columns))
        copied += len(batch)
    return copied
