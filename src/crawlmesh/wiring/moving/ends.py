"""What an address of a move stands for: a place for control data, for crawl data, or for both."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec

from crawlmesh.errors import SettingError, UsageError
from crawlmesh.wiring.stores import is_server

CONTROL, CRAWL = "control", "crawl"

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgres://")
_FILES = {CONTROL: "control.db", CRAWL: "crawls.db"}
_OWN_TABLES = {CONTROL: "crawler_tasks", CRAWL: "links"}


class Ends(msgspec.Struct, frozen=True):
    """Where one side has its data; None where it has no place for it."""

    control: str | None = None
    crawl: str | None = None

    def of(self, part: str) -> str | None:
        """The address of a part."""
        return self.control if part == CONTROL else self.crawl


def ends_of(address: str, option: str, what: str, control: str | None, *, is_source: bool) -> Ends:
    """What an address stands for. `control`: another address for the control data. Raises UsageError."""
    ends = _ends(address, option, what, is_source=is_source)
    if control is not None:
        other = _ends(control, f"--control-{'from' if is_source else 'to'}", CONTROL, is_source=is_source)
        if other.control is None:
            raise UsageError(
                f"Control data cannot be kept at {control!r}: give sqlite:///PATH or postgresql://HOST/DATABASE."
            )
        ends = Ends(other.control, ends.crawl)
    return ends


def parts_to_move(what: str, source: Ends, target: Ends) -> list[str]:
    """What both ends have a place for, or what the user wants of it. Raises UsageError."""
    wanted = [CONTROL, CRAWL] if what == "all" else [what] if what in _FILES else []
    for part in wanted:
        for option, ends in (("from", source), ("to", target)):
            if ends.of(part) is None:
                raise UsageError(
                    f"--what {what} moves {part} data, and --{option} has no place for it. "
                    f"Give one with --{'control-' if part == CONTROL else ''}{option}, or move another part."
                )
    parts = wanted or [part for part in _FILES if source.of(part) and target.of(part)]
    if not parts:
        raise UsageError("The two addresses have no kind of data in common, so there is nothing to move.")
    same = [part for part in parts if source.of(part) == target.of(part)]
    if same:
        raise UsageError(
            f"The {same[0]} data is at {source.of(same[0])} already: --from and --to are the same."
        )
    return parts


def file_of(address: str) -> Path | None:
    """The file of a store; None where it is on a server."""
    return None if is_server(address) else Path(address.removeprefix(_SQLITE))


def _ends(address: str, option: str, what: str, *, is_source: bool) -> Ends:
    if address.startswith(_POSTGRES):
        return Ends(address, address)
    if is_server(address):
        return Ends(crawl=address)
    if not address.startswith(_SQLITE):
        raise SettingError(
            f"{option} has the value {address!r}: give sqlite:///PATH, postgresql://HOST/DATABASE or "
            "redis://HOST:PORT/0."
        )
    path = Path(address.removeprefix(_SQLITE)).absolute()
    if path.is_file() or (path.suffix and not path.is_dir()):
        return _of_file(path, option, what, is_source=is_source)
    return _of_folder(path, option, is_source=is_source)


def _of_folder(path: Path, option: str, *, is_source: bool) -> Ends:
    if not any((path / name).exists() for name in _FILES.values()) and (path / "cluster").is_dir():
        path /= "cluster"
    found = {part: path / name for part, name in _FILES.items() if not is_source or (path / name).exists()}
    if not found:
        raise UsageError(f"{option} names {path}, where there is neither control.db nor crawls.db.")
    return Ends(**{part: f"{_SQLITE}{file}" for part, file in found.items()})


def _of_file(path: Path, option: str, what: str, *, is_source: bool) -> Ends:
    if path.exists():
        held = [part for part, table in _OWN_TABLES.items() if _has_table(path, table, option)]
    else:
        held = []
    if is_source and not held:
        raise UsageError(f"{option} names {path}, which is no store of Crawlmesh.")
    if not held:
        held = [what if what in _FILES else CONTROL if path.name == _FILES[CONTROL] else CRAWL]
    return Ends(**{held[0]: f"{_SQLITE}{path}"})


def _has_table(path: Path, table: str, option: str) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute(
                "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)
            )
            return found.fetchone() is not None
    except sqlite3.Error as error:
        raise UsageError(f"{option} names {path}, which SQLite cannot read ({error}).") from error
