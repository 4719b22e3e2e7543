"""One request under way: a libcurl handle, reused from request to request, and what has come so far."""

from enum import Enum
from time import monotonic

import pycurl

from crawlmesh.adapters.curl.addresses import (
    REFUSED,
    OpenedSocket,
    RefusedSocket,
    SocketAddress,
    private_part,
)
from crawlmesh.adapters.curl.content_types import ContentTypes
from crawlmesh.adapters.curl.headers import Header, HeadReader
from crawlmesh.model.page import FetchRequest

_STOP = 0  # fewer bytes than were offered: libcurl ends the transfer
_INTERIM_BELOW = 200
_NO_REQUEST = FetchRequest(token=-1, url="")


class Stop(Enum):
    """Why we broke a transfer off."""

    TOO_LARGE = "too large"
    USELESS_TYPE = "useless type"


class Transfer:
    """The callbacks of one handle. `begin` forgets everything about the request before."""

    __slots__ = (
        "_chunks",
        "_content_types",
        "_head_reader",
        "_header_lines",
        "_max_body_bytes",
        "_size",
        "crawl_id",
        "handle",
        "has_own_headers",
        "headers",
        "http_version",
        "refused_address",
        "request",
        "started_at",
        "status",
        "stop",
    )

    def __init__(
        self,
        handle: pycurl.Curl,
        head_reader: HeadReader,
        content_types: ContentTypes,
        max_body_bytes: int,
    ) -> None:
        self.handle = handle
        self.crawl_id: str | None = None  # whose cookie jar the handle is attached to
        self.has_own_headers = False  # the handle carries the headers of its last request
        self.http_version = ""
        self.headers: tuple[Header, ...] = ()
        self._head_reader = head_reader
        self._content_types = content_types
        self._max_body_bytes = max_body_bytes
        self.begin(_NO_REQUEST)
        handle.setopt(pycurl.WRITEFUNCTION, self._on_body)
        handle.setopt(pycurl.HEADERFUNCTION, self._on_header)

    def begin(self, request: FetchRequest) -> None:
        """Take on a request."""
        self.request = request
        self.started_at = monotonic()  # seconds
        self.status = 0  # 0 until the final head has come; version and headers count only then
        self.stop: Stop | None = None
        self.refused_address: str | None = None
        self._chunks: list[bytes] = []
        self._header_lines: list[bytes] = []
        self._size = 0  # bytes

    def refuse_private_addresses(self) -> None:
        """Check the very address that is connected to, after name resolution."""
        self.handle.setopt(pycurl.OPENSOCKETFUNCTION, self._on_open_socket)

    def is_silent(self) -> bool:
        """Whether nothing has come back yet."""
        return not self.status and not self._header_lines

    def take_body(self) -> bytes:
        """Hand over what has come of the body. A resting transfer must not hold on to it."""
        chunks, self._chunks = self._chunks, []
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def drop_body(self) -> None:
        """Let go of what has come of the body."""
        self._chunks = []

    def _on_body(self, chunk: bytes) -> int | None:
        self._size = size = self._size + len(chunk)
        if size > self._max_body_bytes:
            self.stop = Stop.TOO_LARGE
            return _STOP
        self._chunks.append(chunk)
        return None

    def _on_header(self, line: bytes) -> int | None:
        if len(line) > 2 or line.strip():
            self._header_lines.append(line)
            return None
        return self._on_end_of_head()

    def _on_end_of_head(self) -> int | None:
        lines = self._header_lines
        self._header_lines = []
        if self.status or not lines:
            return None  # trailers of a chunked body
        status, version, headers, fields = self._head_reader.read(lines)
        if status < _INTERIM_BELOW:
            return None
        self.status, self.http_version, self.headers = status, version, headers
        content_type = fields.get("content-type")
        if content_type and self.request.accept_types and not self._content_types.accept(content_type):
            self.stop = Stop.USELESS_TYPE
        elif "content-length" in fields and _declared_bytes(fields["content-length"]) > self._max_body_bytes:
            self.stop = Stop.TOO_LARGE
        else:
            return None
        return _STOP

    def _on_open_socket(self, _purpose: int, address: SocketAddress) -> OpenedSocket | RefusedSocket:
        self.refused_address = refused = private_part(address)
        if refused is not None:
            return REFUSED
        return OpenedSocket(address[0], address[1], address[2])


def _declared_bytes(content_length: str) -> int:
    # More digits than this are beyond any limit, and slow to convert.
    return int(content_length[:18]) if content_length.isdecimal() else 0
