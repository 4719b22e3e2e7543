"""Marks on stores that are moved: so that nobody works with half a store, or with one that was left."""

from enum import StrEnum
from typing import Protocol

import msgspec


class MoveRole(StrEnum):
    """What a marked store is."""

    ARRIVING = "arriving"  # a move into it was begun and has not come to its end
    LEAVING = "leaving"  # a move out of it was begun and has not come to its end
    LEFT = "left"  # everything was moved elsewhere


class MoveMark(msgspec.Struct, frozen=True):
    """What a mark says. `other` is the address of the other end, without a password."""

    role: MoveRole
    other: str
    at: float


class MoveMarks(Protocol):
    """The mark of one store at an address."""

    async def read(self) -> MoveMark | None:
        """The mark, or None. Nothing is made for it where there is no store yet."""
        ...

    async def write(self, mark: MoveMark) -> None:
        """Mark the store; it replaces an earlier mark."""
        ...

    async def clear(self) -> None:
        """Take the mark away."""
        ...
