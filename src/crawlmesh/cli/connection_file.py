"""How commands on the same machine find the master, and its key: a file that only its owner may read."""

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from crawlmesh.errors import CrawlmeshError, UsageError

_OWNER_ONLY = 0o600


class ConnectionNote(msgspec.Struct, frozen=True, kw_only=True):
    """Where the master of a data folder is, and what opens it."""

    url: str
    api_key: str | None = None
    join_token: str | None = None


def connection_path(data_dir: Path) -> Path:
    """Where the note lies."""
    return data_dir / "cluster" / "connection.json"


def read_connection(data_dir: Path) -> ConnectionNote | None:
    """The note of a data folder; None where no master was started with it."""
    path = connection_path(data_dir)
    try:
        return msgspec.json.decode(path.read_bytes(), type=ConnectionNote)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CrawlmeshError(f"The file {path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise UsageError(
            f"The file {path} is damaged ({error}). Remove it, and give the key with --api-key."
        ) from error


def write_connection(data_dir: Path, note: ConnectionNote) -> Path:
    """Write the note whole or not at all, readable for its owner alone."""
    path = connection_path(data_dir)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.{os.getpid()}.new")
    with suppress(FileNotFoundError):
        part.unlink()
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(note), indent=2) + b"\n")
    part.replace(path)
    return path
