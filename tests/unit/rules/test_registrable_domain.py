import pytest

from crawlmesh.rules.registrable_domain import registrable_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.com", "example.com"),
        ("a.b.example.com:8080", "example.com"),
        ("www.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"),
        ("alice.github.io", "alice.github.io"),
        ("deep.alice.github.io", "alice.github.io"),
        ("github.io", "github.io"),
        ("xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("shop.site.test", "site.test"),
        ("localhost:8000", "localhost"),
        ("127.0.0.1:8000", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[::1]:8000", "[::1]"),
    ],
)
def test_registrable_domains(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain
