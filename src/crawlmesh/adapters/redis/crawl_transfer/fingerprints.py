"""Which fingerprint lies at which place: the server finds places by fingerprints, not the other way round."""

import mmap
import tempfile
from collections.abc import Iterable
from types import TracebackType
from typing import Self

_FINGERPRINT = 16  # bytes


class FingerprintFile:
    """Fingerprints by place, in a temporary file, so that memory does not grow with the crawl."""

    def __init__(self, places: int) -> None:
        """Places are numbered from 1."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with this object
        self._file.truncate((places + 1) * _FINGERPRINT)
        self._map = mmap.mmap(self._file.fileno(), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._map.close()
        self._file.close()

    def put(self, items: Iterable[tuple[int, bytes]]) -> None:
        """Put fingerprints at places."""
        for place, fingerprint in items:
            self._map[place * _FINGERPRINT : (place + 1) * _FINGERPRINT] = fingerprint

    def at(self, place: int) -> bytes | None:
        """The fingerprint at a place; None where there is none."""
        found = self._map[place * _FINGERPRINT : (place + 1) * _FINGERPRINT]
        return found if any(found) else None
