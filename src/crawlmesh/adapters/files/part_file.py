"""A file that grows under a temporary name and appears under its own name when it is whole."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


class PartFile:
    """Grows as `.<name>.<random>.part` beside its target. Raises plain OSErrors.

    Beside, because only within one file system is the move into place atomic.
    """

    def __init__(self, target: Path) -> None:
        # Behind a symbolic link the file that it leads to is replaced, not the link.
        self._target = target.resolve()
        self._target.parent.mkdir(parents=True, exist_ok=True)
        self._part = self._target.with_name(f".{self._target.name}.{secrets.token_hex(6)}.part")
        self.file = self._part.open("xb")

    @property
    def folder(self) -> Path:
        """Where the file grows."""
        return self._target.parent

    def commit(self) -> None:
        """Make the content durable, then move it into place."""
        self.file.flush()
        os.fsync(self.file.fileno())
        self.file.close()
        self._part.replace(self._target)
        _sync_folder(self._target.parent)

    def discard(self) -> None:
        """Remove what was written. Does nothing after `commit`; twice is fine."""
        # Closing flushes, which fails again on a disk that is full; the content is unwanted anyway.
        with suppress(OSError):
            self.file.close()
        with suppress(OSError):
            self._part.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make a rename durable. Some file systems cannot do that for folders; the file is in place there too."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
