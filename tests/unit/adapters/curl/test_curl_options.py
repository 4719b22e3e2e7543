from typing import Any

import pytest

from crawlmesh.adapters.curl import FetchOptions
from crawlmesh.adapters.curl.content_types import ContentTypes
from crawlmesh.adapters.curl.options import DEFAULT_ACCEPTED_TYPES, InitialCookie
from crawlmesh.errors import SettingError


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"connect_timeout": 0}, "connect_timeout is 0"),
        ({"max_body_bytes": -1}, "max_body_bytes is -1"),
        ({"headers": (("X Y", "1"),)}, "'X Y' is not a header name"),
        ({"headers": (("X", "1\r\nHost: evil"),)}, "line break"),
        ({"user_agent": "a\nb"}, "line break"),
        ({"proxy": "ftp://proxy:1"}, "proxy is not a proxy URL"),
        ({"proxy": "http://user:secret@:99999"}, "proxy is not a proxy URL"),
        ({"cookies": ("nonsense",)}, "'nonsense' is not a cookie"),
        ({"cookies": ("a=1; path=/",)}, "'path=/' is not understood"),
    ],
)
def test_a_bad_setting_is_refused_by_name(settings: dict[str, Any], named: str) -> None:
    with pytest.raises(SettingError) as error:
        FetchOptions(**settings)
    assert named in str(error.value)
    assert "secret" not in str(error.value)


def test_cookies_are_taken_apart() -> None:
    options = FetchOptions(cookies=("a=1", "b=x=y; host=.Example.org"))
    assert options.initial_cookies() == (
        InitialCookie(name="a", value="1"),
        InitialCookie(name="b", value="x=y", host="example.org"),
    )


@pytest.mark.parametrize(
    "content_type",
    ["text/html; charset=utf-8", "TEXT/HTML", "text/plain", "application/xhtml+xml", "application/xml",
     "application/rss+xml", "application/atom+xml;charset=x", "application/json", "application/ld+json",
     "html"],
)  # fmt: skip
def test_useful_types(content_type: str) -> None:
    types = ContentTypes(DEFAULT_ACCEPTED_TYPES)
    assert types.accept(content_type)
    assert types.accept(content_type)


@pytest.mark.parametrize(
    "content_type", ["image/png", "image/svg+xml", "application/pdf", "video/mp4", "application/octet-stream"]
)
def test_useless_types(content_type: str) -> None:
    assert not ContentTypes(DEFAULT_ACCEPTED_TYPES).accept(content_type)
