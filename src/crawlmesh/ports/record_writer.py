"""A record writer: turns records into a file of some format."""

from collections.abc import Iterable
from typing import Protocol

from crawlmesh.model.record import Record


class RecordWriter(Protocol):
    """Writes records. The file appears under its name only when `close` has succeeded.

    Until then it grows under a temporary name beside it, so that a kill never leaves half a file.
    """

    def write(self, records: Iterable[Record]) -> None:
        """Write some records. Raises OutputError (disk full, not writable) naming the file."""
        ...

    def close(self) -> None:
        """Finish the file and move it into place."""
        ...

    def abort(self) -> None:
        """Throw away what was written. Twice is fine, after `close` too."""
        ...
