import pytest

from crawlmesh.adapters.curl.urls import sendable_url
from crawlmesh.errors import UrlError


@pytest.mark.parametrize(
    ("found", "sent"),
    [
        ("http://example.org/a%20b?x={1}|2#f", "http://example.org/a%20b?x={1}|2#f"),
        ("http://example.org/a b", "http://example.org/a%20b"),
        ("HTTP://example.org", "http://example.org/"),
        ("http://münchen.example/straße?q=ü", "http://xn--mnchen-3ya.example/stra%C3%9Fe?q=%C3%BC"),
        ("http://example.org\\@evil.example/", "http://example.org/@evil.example/"),
        ("http://example.org/\ud800", "http://example.org/?"),
        ("http://example.org/a\tb\nc", "http://example.org/abc"),
        ("http://example.org/\x00\x7f", "http://example.org/%00%7F"),
    ],
)
def test_what_is_sent(found: str, sent: str) -> None:
    assert sendable_url(found) == sent


@pytest.mark.parametrize(
    "url", ["", "/path", "http://", "ftp://example.org/", "file:///etc/passwd", "javascript:1"]
)
def test_what_is_refused(url: str) -> None:
    with pytest.raises(UrlError):
        sendable_url(url)
