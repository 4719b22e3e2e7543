"""Taking everything out of a control store, and putting it into another one."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol

ControlRow = Sequence[Any]  # texts, numbers and None; JSON and lists as JSON texts


class ControlTransfer(Protocol):
    """The rows of a control store, table by table and batch by batch: memory does not grow with them.

    All control stores have the tables of `crawlmesh.migrations`, and theirs are up to date. Nobody else may
    work on the store meanwhile.
    """

    async def tables(self) -> dict[str, list[str]]:
        """The columns of each table, but for those that the database computes."""
        ...

    def rows(self, table: str, columns: Sequence[str]) -> AsyncIterator[list[ControlRow]]:
        """All rows of a table."""
        ...

    async def is_empty(self) -> bool:
        """Whether there are neither tasks nor nodes nor keys."""
        ...

    async def clear(self) -> None:
        """Empty all tables."""
        ...

    async def put_rows(self, table: str, columns: Sequence[str], rows: Sequence[ControlRow]) -> None:
        """Put rows into a table that was cleared."""
        ...

    async def finish(self) -> None:
        """Make the store ready for use."""
        ...

    async def aclose(self) -> None:
        """Let go of everything. Twice is fine."""
        ...
