import pytest

from crawlmesh.errors import UsageError
from crawlmesh.rules.allowed_hosts import AllowedHosts


@pytest.mark.parametrize(
    ("pattern", "host", "matches"),
    [
        ("example.com", "example.com", True),
        ("example.com", "example.com:8080", True),
        ("example.com", "www.example.com", False),
        ("EXAMPLE.com.", "example.com", True),
        ("bücher.de", "xn--bcher-kva.de", True),
        ("example.com:8080", "example.com:8080", True),
        ("example.com:8080", "example.com", False),
        ("example.com:443", "example.com", True),
        ("example.com:443", "example.com:8443", False),
        ("*.example.com", "a.b.example.com", True),
        (".example.com", "a.example.com:81", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "notexample.com", False),
        ("*.example.com:81", "a.example.com:81", True),
        ("*.example.com:81", "a.example.com", False),
        ("127.0.0.1", "127.0.0.1:8000", True),
        ("[::1]", "[::1]:8000", True),
        ("[::1]:8000", "[::1]", False),
    ],
)
def test_patterns(pattern: str, host: str, matches: bool) -> None:
    assert AllowedHosts([pattern]).match(host) is matches


@pytest.mark.parametrize(
    "pattern",
    [
        "https://example.com",
        "example.com/path",
        "exa mple.com",
        "",
        ".",
        "*",
        "*.",
        "a.*.com",
        "u@h",
        "h:x",
        "h?x",
    ],
)
def test_what_is_no_host_is_rejected_with_a_remedy(pattern: str) -> None:
    with pytest.raises(UsageError) as caught:
        AllowedHosts([pattern])

    assert repr(pattern) in str(caught.value)
    assert "without scheme, path and spaces" in str(caught.value)
