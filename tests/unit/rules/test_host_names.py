import pytest

from crawlmesh.rules.host_names import host_name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Example.COM", "example.com"),
        ("example.com.", "example.com"),
        ("example.com:443", "example.com"),
        ("example.com:80", "example.com"),
        ("example.com:8080", "example.com:8080"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("127.0.0.1:5000", "127.0.0.1:5000"),
        ("[::1]:5000", "[::1]:5000"),
    ],
)
def test_a_host_is_named_as_links_name_it(text: str, expected: str) -> None:
    assert host_name(text) == expected


@pytest.mark.parametrize(
    "text", ["", ".", "..", "a b", "a/b", "user@a", "a?b", "a#b", "a:b", "a:99999", "1.2.3.999"]
)
def test_what_can_be_no_host(text: str) -> None:
    assert host_name(text) is None
