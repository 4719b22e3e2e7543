"""The page archive as WARC segments in a folder."""

import os
import re
import secrets
from pathlib import Path
from typing import BinaryIO

from crawlmesh.adapters.files.output_errors import reason_of, remedy_for
from crawlmesh.adapters.files.timestamps import iso_seconds
from crawlmesh.adapters.files.warc_member import (
    decompress_member,
    parse_response,
    response_member,
    warcinfo_member,
)
from crawlmesh.errors import OutputError
from crawlmesh.model.page import FetchResponse

SEGMENT_PATTERN = "pages-*.warc.gz"
_SUFFIX = ".warc.gz"
_SEGMENT_BYTES = 512 * 1024 * 1024
_PENDING_BYTES = 1024 * 1024  # appended, not yet handed to the operating system
_REFERENCE = re.compile(r"([A-Za-z0-9-]+):([0-9]+):([0-9]+)")


class WarcPageArchive:
    """Keeps every response as one gzip member of a segment, itself a valid WARC file.

    Every archive object writes segments of its own, so that processes may share a folder. A kill
    can only cut the end of a segment: pages that no settlement knows of. One thread at a time
    may append and flush; reads may come from any. After a failed write the archive stays failed:
    pages that were appended before it may be lost, so nothing that refers to them may be settled.
    """

    def __init__(self, folder: Path, *, segment_bytes: int = _SEGMENT_BYTES) -> None:
        self._folder = folder
        self._segment_bytes = segment_bytes
        self._name = ""
        self._file: BinaryIO | None = None
        self._end = 0  # of the segment, pending members included
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._failure: str | None = None

    def append(self, response: FetchResponse, fetched_at: float) -> str:
        """Keep a response and return its reference, "segment:offset:length"."""
        if response.failure is not None:
            raise ValueError(f"{response.url} brought no response to archive: {response.failure}")
        member = response_member(response, fetched_at)
        if self._file is not None and self._end >= self._segment_bytes:
            self.close()
        if self._file is None:
            self._open_segment(fetched_at)
        offset = self._end
        self._add(member)
        if self._pending_bytes >= _PENDING_BYTES:
            self.flush()
        return f"{self._name}:{offset}:{len(member)}"

    def flush(self) -> None:
        """Hand everything appended so far to the operating system."""
        self._check()
        if self._file is None or not self._pending:
            return
        content = memoryview(b"".join(self._pending))
        self._forget_pending()
        try:
            while content:
                content = content[self._file.write(content) :]
        except OSError as error:
            raise self._fail(error) from error

    def read(self, reference: str) -> FetchResponse:
        """The response behind a reference. Raises OutputError where it cannot be read."""
        content = self._load(reference)[1]
        try:
            return parse_response(content)
        except (ValueError, KeyError) as error:
            raise self._broken(reference, "the record there is not a response") from error

    def raw(self, reference: str) -> bytes:
        """One whole compressed member. Raises OutputError where it cannot be read."""
        return self._load(reference)[0]

    def close(self) -> None:
        """Finish the open segment. Twice is fine; a later `append` starts another one."""
        file = self._file
        if file is None:
            return
        try:
            self.flush()
            os.fsync(file.fileno())
        except OSError as error:
            raise self._fail(error) from error
        finally:
            self._file = None
            file.close()

    def _open_segment(self, moment: float) -> None:
        self._check()
        stamp = re.sub(r"[-:]", "", iso_seconds(moment))
        self._name = f"pages-{stamp}-{secrets.token_hex(6)}"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # Unbuffered: after an error nothing may be written behind our back.
            self._file = self._path(self._name).open("xb", buffering=0)
        except OSError as error:
            raise self._fail(error) from error
        self._end = 0
        self._add(warcinfo_member(self._name + _SUFFIX, moment))

    def _add(self, member: bytes) -> None:
        self._pending.append(member)
        self._pending_bytes += len(member)
        self._end += len(member)

    def _forget_pending(self) -> None:
        self._pending.clear()
        self._pending_bytes = 0

    def _check(self) -> None:
        if self._failure is not None:
            raise OutputError(self._failure)

    def _fail(self, error: OSError) -> OutputError:
        self._forget_pending()
        if self._file is not None:
            self._file.close()
            self._file = None
        path = self._path(self._name)
        self._failure = f"Cannot write the page archive {path}: {reason_of(error)}. {remedy_for(error)}"
        return OutputError(self._failure)

    def _path(self, segment: str) -> Path:
        return self._folder / (segment + _SUFFIX)

    def _load(self, reference: str) -> tuple[bytes, bytes]:
        """The member behind a reference, compressed and not: only its content proves that it is whole."""
        match = _REFERENCE.fullmatch(reference)
        if match is None:
            raise OutputError(f"{reference!r} is not a reference of a page archive (segment:offset:length).")
        segment, offset, length = match[1], int(match[2]), int(match[3])
        if segment == self._name and self._pending:
            self.flush()
        try:
            member = self._read_range(segment, offset, length)
            return member, decompress_member(member)
        except ValueError as error:
            raise self._broken(reference, "the file was cut off or changed") from error
        except OSError as error:
            raise self._broken(reference, reason_of(error)) from error

    def _read_range(self, segment: str, offset: int, length: int) -> bytes:
        with self._path(segment).open("rb", buffering=0) as file:
            return os.pread(file.fileno(), length, offset)

    def _broken(self, reference: str, reason: str) -> OutputError:
        segment, offset, _ = reference.split(":")
        return OutputError(
            f"Cannot read the archived page at byte {offset} of {self._path(segment)}: {reason}. "
            "Put the file back, or crawl again to fetch the page anew."
        )
