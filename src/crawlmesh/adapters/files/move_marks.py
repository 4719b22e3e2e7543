"""The mark of a store that is a file: another file beside it."""

import os
from pathlib import Path

import msgspec

from crawlmesh.errors import StoreCorruptError
from crawlmesh.ports.move_marks import MoveMark

_decode = msgspec.json.Decoder(MoveMark).decode


class FileMoveMarks:
    """Implements `crawlmesh.ports.move_marks.MoveMarks`."""

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(f"{store.name}.move")

    async def read(self) -> MoveMark | None:
        """See MoveMarks.read."""
        try:
            return _decode(self._path.read_bytes())
        except FileNotFoundError:
            return None
        except msgspec.MsgspecError as error:
            raise StoreCorruptError(
                f"{self._path} cannot be understood ({error}). Delete it by hand."
            ) from error

    async def write(self, mark: MoveMark) -> None:
        """See MoveMarks.write."""
        part = self._path.with_name(f"{self._path.name}.part")
        with part.open("wb") as file:
            file.write(msgspec.json.encode(mark))
            file.flush()
            os.fsync(file.fileno())
        part.replace(self._path)

    async def clear(self) -> None:
        """See MoveMarks.clear."""
        self._path.unlink(missing_ok=True)
