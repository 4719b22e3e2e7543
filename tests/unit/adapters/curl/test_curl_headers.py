import pytest

from crawlmesh.adapters.curl import FetchOptions
from crawlmesh.adapters.curl.headers import HeadReader, RequestHeaders
from crawlmesh.errors import SettingError


def read(*lines: bytes) -> tuple[int, str, tuple[tuple[str, str], ...]]:
    return HeadReader().read(list(lines))[:3]


def test_names_are_lower_case_and_the_order_is_kept() -> None:
    assert read(b"HTTP/1.1 200 OK\r\n", b"B: 2\r\n", b"a:1\n", b"B: \t3 \r\n") == (
        200,
        "1.1",
        (("b", "2"), ("a", "1"), ("b", "3")),
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b"HTTP/2 404 \r\n", (404, "2")),
        (b"HTTP/1.0 301 Moved\r\n", (301, "1.0")),
        (b"HTTP/3 200\r\n", (200, "3")),
    ],
)
def test_status_lines(line: bytes, expected: tuple[int, str]) -> None:
    assert read(line)[:2] == expected


def test_bytes_beyond_ascii_are_latin_1() -> None:
    assert read(b"HTTP/1.1 200 OK\r\n", b"X: caf\xe9\r\n")[2] == (("x", "café"),)


def test_folded_and_broken_lines() -> None:
    lines = (b"HTTP/1.1 200 OK\r\n", b" lost\r\n", b"X: a\r\n", b"\tb: c\r\n", b"Y:\r\n")
    assert read(*lines)[2] == (("x", "a b: c"), ("y", ""))


def test_what_is_remembered_stays_small_and_right() -> None:
    reader = HeadReader()
    for number in range(10_000):
        head = reader.read([b"HTTP/1.1 200 OK\r\n", b"X: %d\r\n" % number, b"Same: 1\r\n"])
        assert head[2] == (("x", str(number)), ("same", "1"))
    reader.read([b"HTTP/1.1 200 OK\r\n", b"Long: " + b"x" * 10_000 + b"\r\n"])
    assert len(reader._header_lines) <= 4096


def test_headers_of_a_request_replace_those_of_the_fetcher() -> None:
    headers = RequestHeaders(FetchOptions(user_agent="me", headers=(("X-A", "1"),), accept_language="de"))
    assert b"User-Agent: me" in headers.base_lines
    assert b"Accept-Language: de" in headers.base_lines
    lines = headers.lines_with((("x-a", "2"), ("x-a", "3"), ("Empty", ""), ("Word", "é"), ("Snow", "☃")))
    assert b"X-A: 1" not in lines
    assert lines[-5:] == [b"x-a: 2", b"x-a: 3", b"Empty;", b"Word: \xe9", "Snow: ☃".encode()]


def test_a_header_cannot_smuggle_in_another() -> None:
    with pytest.raises(SettingError):
        RequestHeaders(FetchOptions()).lines_with((("X", "1\r\nY: 2"),))
