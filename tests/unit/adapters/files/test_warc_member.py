import gzip
import io
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from crawlmesh.adapters.files.warc_member import (
    decompress_member,
    parse_response,
    response_member,
    warcinfo_member,
)
from crawlmesh.model.page import FetchResponse

_FETCHED_AT = 1_794_733_939.123


def _response(**changes: Any) -> FetchResponse:
    values: dict[str, Any] = {
        "token": 7,
        "url": "https://example.org/ü?a=1",
        "status": 200,
        "headers": (("content-type", "text/html"), ("set-cookie", "a=1"), ("set-cookie", "b=2")),
        "body": b"<p>\r\n\r\nhello</p>",
        "address": "192.0.2.7",
    }
    return FetchResponse(**{**values, **changes})


def _through_warcio(member: bytes) -> tuple[Any, bytes]:
    (pair,) = [
        (each, each.raw_stream.read())
        for each in ArchiveIterator(io.BytesIO(member), check_digests="raise", verify_http=True)
    ]
    return pair


def test_warcio_reads_what_was_written() -> None:
    record, body = _through_warcio(response_member(_response(), _FETCHED_AT))
    field = record.rec_headers.get_header
    assert record.rec_type == "response"
    assert field("WARC-Target-URI") == "https://example.org/ü?a=1"
    assert field("WARC-Date") == "2026-11-15T09:12:19Z"
    assert field("WARC-IP-Address") == "192.0.2.7"
    assert field("WARC-Payload-Digest").startswith("sha1:")
    assert field("WARC-Block-Digest").startswith("sha1:")
    assert field("WARC-Record-ID").startswith("<urn:uuid:")
    assert record.http_headers.statusline == "200 OK"
    assert body == b"<p>\r\n\r\nhello</p>"


def test_headers_that_described_the_encoded_body_are_renamed() -> None:
    encoded = (
        ("content-encoding", "gzip"),
        ("transfer-encoding", "chunked"),
        ("content-length", "999"),
        ("etag", '"x"'),
    )
    record, _ = _through_warcio(response_member(_response(headers=encoded), _FETCHED_AT))
    assert record.http_headers.headers == [
        ("X-Archive-Orig-Content-Encoding", "gzip"),
        ("X-Archive-Orig-Transfer-Encoding", "chunked"),
        ("X-Archive-Orig-Content-Length", "999"),
        ("etag", '"x"'),
        ("content-length", "16"),
    ]


def test_a_true_length_is_kept_once() -> None:
    record, _ = _through_warcio(response_member(_response(headers=(("content-length", "16"),)), _FETCHED_AT))
    assert record.http_headers.headers == [("content-length", "16")]


def test_a_response_comes_back() -> None:
    response = _response(http_version="2", truncated=True)
    read = parse_response(decompress_member(response_member(response, _FETCHED_AT)))
    assert read == _response(
        token=0,
        http_version="2",
        truncated=True,
        headers=(*response.headers, ("content-length", "16")),
    )


@pytest.mark.parametrize("status", [200, 204, 404, 599])
def test_an_empty_body_and_any_status(status: int) -> None:
    response = _response(status=status, headers=(), body=b"", address="", token=0)
    assert parse_response(decompress_member(response_member(response, _FETCHED_AT))) == response
    assert _through_warcio(response_member(response, _FETCHED_AT))[1] == b""


def test_strange_headers_cannot_break_the_record() -> None:
    headers = (("x-a", "one\r\nx-b: two\r\n\r\nbody"), ("x-latin", "é"), ("x-wide", "東"))
    read = parse_response(decompress_member(response_member(_response(headers=headers), _FETCHED_AT)))
    assert read.body == _response().body
    assert read.header("x-a") == "one  x-b: two    body"
    assert read.header("x-latin") == "é"
    assert read.header("x-b") is None


def test_a_url_cannot_break_the_record() -> None:
    response = _response(url="https://a/\r\nWARC-Type: evil\ud800")
    record, _ = _through_warcio(response_member(response, _FETCHED_AT))
    assert record.rec_type == "response"


def test_warcinfo_names_the_software() -> None:
    record, body = _through_warcio(warcinfo_member("x.warc.gz", _FETCHED_AT))
    assert record.rec_type == "warcinfo"
    assert record.rec_headers.get_header("WARC-Filename") == "x.warc.gz"
    assert b"software: crawlmesh/" in body


def test_what_is_not_one_whole_member_is_refused() -> None:
    member = response_member(_response(), _FETCHED_AT)
    flipped = bytes([*member[:-5], member[-5] ^ 1, *member[-4:]])
    for broken in (b"", b"no gzip", member[:-1], member + b"x", flipped):
        with pytest.raises(ValueError, match=r"."):
            decompress_member(broken)


def test_a_record_that_is_not_a_response_is_refused() -> None:
    for content in (b"", b"hello", gzip.decompress(warcinfo_member("x", 0.0))):
        with pytest.raises(ValueError, match="not a WARC response"):
            parse_response(content)
