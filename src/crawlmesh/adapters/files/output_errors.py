"""Turns the operating system's errors into sentences that name the file and the remedy."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crawlmesh.errors import OutputError

_MORE_SPACE = "Free some space on this disk, or choose a place on another one."
_MORE_RIGHTS = "Give this user the right to write there, or choose another folder."
_REMEDIES = {
    errno.ENOSPC: _MORE_SPACE,
    errno.EDQUOT: _MORE_SPACE,
    errno.EFBIG: "Raise the limit on file sizes (ulimit -f), or choose a place on another disk.",
    errno.EACCES: _MORE_RIGHTS,
    errno.EPERM: _MORE_RIGHTS,
    errno.EROFS: "The file system is read-only: choose another folder.",
    errno.ENOTDIR: "A part of the path is a file: choose another folder.",
    errno.EISDIR: "It is a folder: give the path of a file.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.EMFILE: "Raise the limit on open files (ulimit -n).",
    errno.EIO: "Check the disk, or choose a place on another one.",
}


def reason_of(error: OSError) -> str:
    """The operating system's own words for an error."""
    return os.strerror(error.errno) if error.errno else str(error)


def remedy_for(error: OSError) -> str:
    """What a user can do about an error."""
    return _REMEDIES.get(error.errno or 0, "Check the path, or choose another one.")


@contextmanager
def output_errors(path: Path) -> Iterator[None]:
    """Raise every OSError of the block as an OutputError about `path`."""
    try:
        yield
    except OSError as error:
        raise OutputError(f"Cannot write {path}: {reason_of(error)}. {remedy_for(error)}") from error
