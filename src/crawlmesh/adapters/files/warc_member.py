"""One WARC record as one gzip member: built from a response, and read back.

warcio spends more than twice as long on a page (it compresses at level 9 and copies the body
through streams), so members are built here. Tests hold them against warcio's own reader.
"""

import base64
import hashlib
import uuid
import zlib
from http import HTTPStatus

from crawlmesh.adapters.files.timestamps import iso_seconds
from crawlmesh.model.page import FetchResponse
from crawlmesh.version import __version__

_GZIP = 31  # zlib's code for a gzip container with the largest window
_LEVEL = 3  # of compression: higher ones cost up to twice the time for 5 % less
_PHRASES = {status.value: status.phrase for status in HTTPStatus}
_BREAKS = str.maketrans("\r\n", "  ")
# A stored body is decoded, so these would be untrue of it; archivers keep them under other names.
_UNTRUE_OF_DECODED_BODY = {"content-encoding", "transfer-encoding", "content-length"}
_ORIGINAL_PREFIX = "X-Archive-Orig-"
_WIRE_PROTOCOLS = {"2": "h2", "2.0": "h2", "3": "h3", "3.0": "h3"}
_VERSIONS = {"h2": "2", "h3": "3"}


def response_member(response: FetchResponse, fetched_at: float) -> bytes:
    """A `response` record: the status line, the headers and the decoded body."""
    http_head = _http_head(response)
    block = http_head + response.body
    fields = [
        ("WARC-Target-URI", response.url),
        ("WARC-Payload-Digest", _digest(response.body)),
        ("WARC-Block-Digest", _digest(block)),
    ]
    if response.address:
        fields.append(("WARC-IP-Address", response.address))
    if response.http_version in _WIRE_PROTOCOLS:
        fields.append(("WARC-Protocol", _WIRE_PROTOCOLS[response.http_version]))
    if response.truncated:
        fields.append(("WARC-Truncated", "unspecified"))
    return _member("response", "application/http; msgtype=response", fields, block, fetched_at)


def warcinfo_member(filename: str, moment: float) -> bytes:
    """A `warcinfo` record, which says who made the file."""
    block = (
        f"software: crawlmesh/{__version__}\r\n"
        "format: WARC File Format 1.0\r\n"
        "conformsTo: http://bibnum.bnf.fr/WARC/WARC_ISO_28500_version1_latestdraft.pdf\r\n"
    ).encode()
    fields = [("WARC-Filename", filename), ("WARC-Block-Digest", _digest(block))]
    return _member("warcinfo", "application/warc-fields", fields, block, moment)


def decompress_member(member: bytes) -> bytes:
    """The record inside. Raises ValueError where the bytes are not exactly one whole member."""
    decompressor = zlib.decompressobj(_GZIP)
    try:
        content = decompressor.decompress(member)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not decompressor.eof or decompressor.unused_data:
        raise ValueError("not one whole gzip member")
    return content


def parse_response(content: bytes) -> FetchResponse:
    """The response in a record. Raises ValueError where there is none.

    Headers come back as they are stored: what described the encoded body has the prefix x-archive-orig-.
    """
    head, _, rest = content.partition(b"\r\n\r\n")
    version, fields = _parse_head(head.decode())
    warc = dict(fields)
    if not version.startswith("WARC/") or warc.get("warc-type") != "response":
        raise ValueError("not a WARC response record")
    http_head, _, body = rest[: int(warc["content-length"])].partition(b"\r\n\r\n")
    status_line, headers = _parse_head(http_head.decode("latin-1"))
    protocol, status = status_line.split(" ", 2)[:2]
    return FetchResponse(
        token=0,
        url=warc["warc-target-uri"],
        status=int(status),
        headers=tuple(headers),
        body=body,
        truncated="warc-truncated" in warc,
        http_version=_VERSIONS.get(warc.get("warc-protocol", ""), protocol.removeprefix("HTTP/")),
        address=warc.get("warc-ip-address", ""),
    )


def _parse_head(head: str) -> tuple[str, list[tuple[str, str]]]:
    first, *lines = head.split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first, [(name.lower(), value.strip(" ")) for name, _, value in pairs]


def _member(
    kind: str, content_type: str, fields: list[tuple[str, str]], block: bytes, moment: float
) -> bytes:
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid4()}>",
        f"WARC-Date: {iso_seconds(moment)}",
        *(f"{name}: {value.translate(_BREAKS)}" for name, value in fields),
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block)}",
    ]
    head = "\r\n".join(lines).encode(errors="replace")
    return zlib.compress(b"".join((head, b"\r\n\r\n", block, b"\r\n\r\n")), _LEVEL, _GZIP)


def _digest(content: bytes) -> str:
    # WARC readers expect SHA-1 here; it guards against accidents, not against attackers.
    return "sha1:" + base64.b32encode(hashlib.sha1(content, usedforsecurity=False).digest()).decode()


def _http_head(response: FetchResponse) -> bytes:
    version = response.http_version if response.http_version in ("1.0", "1.1") else "1.1"
    lines = [f"HTTP/{version} {response.status} {_PHRASES.get(response.status, 'Unknown')}"]
    lines.extend(f"{name}: {value}".translate(_BREAKS) for name, value in _stored_headers(response))
    return b"".join(_http_line(line) for line in lines) + b"\r\n"


def _http_line(line: str) -> bytes:
    try:
        return line.encode("latin-1") + b"\r\n"
    except UnicodeEncodeError:
        return line.encode(errors="replace") + b"\r\n"


def _stored_headers(response: FetchResponse) -> list[tuple[str, str]]:
    length = str(len(response.body))
    headers = []
    for name, value in response.headers:
        if name not in _UNTRUE_OF_DECODED_BODY:
            headers.append((name, value))
        elif (name, value) != ("content-length", length):
            headers.append((_ORIGINAL_PREFIX + name.title(), value))
    if response.body:
        headers.append(("content-length", length))
    return headers
