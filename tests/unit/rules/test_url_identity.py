import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawlmesh.rules.url_identity import (
    DEFAULT_TRACKING_PARAMETERS,
    ParameterFilter,
    canonicalize,
    document_base,
    fingerprint_of,
)
from tests.unit.rules.url_strategies import pages, query_pieces, references

RFC_BASE = "http://a/b/c/d;p?q"

# RFC 3986, sections 5.4.1 and 5.4.2, where browsers agree with it; "g:h" and its like are no HTTP URLs.
RFC_3986 = {
    "g": "http://a/b/c/g",
    "./g": "http://a/b/c/g",
    "g/": "http://a/b/c/g/",
    "/g": "http://a/g",
    "//g": "http://g/",
    "?y": "http://a/b/c/d;p?y",
    "g?y": "http://a/b/c/g?y",
    "#s": "http://a/b/c/d;p?q",
    "g#s": "http://a/b/c/g",
    "g?y#s": "http://a/b/c/g?y",
    ";x": "http://a/b/c/;x",
    "g;x": "http://a/b/c/g;x",
    "g;x?y#s": "http://a/b/c/g;x?y",
    "": "http://a/b/c/d;p?q",
    ".": "http://a/b/c/",
    "./": "http://a/b/c/",
    "..": "http://a/b/",
    "../": "http://a/b/",
    "../g": "http://a/b/g",
    "../..": "http://a/",
    "../../": "http://a/",
    "../../g": "http://a/g",
    "../../../g": "http://a/g",
    "/./g": "http://a/g",
    "/../g": "http://a/g",
    "g.": "http://a/b/c/g.",
    ".g": "http://a/b/c/.g",
    "g..": "http://a/b/c/g..",
    "..g": "http://a/b/c/..g",
    "./../g": "http://a/b/g",
    "./g/.": "http://a/b/c/g/",
    "g/./h": "http://a/b/c/g/h",
    "g/../h": "http://a/b/c/h",
    "g;x=1/../y": "http://a/b/c/y",
    "g?y/../x": "http://a/b/c/g?y/../x",
    "http:g": "http://a/b/c/g",
}

BROWSER_ODDITIES = {
    "  /padded\n": "http://a/padded",
    "/sp\tli\nt\r/path": "http://a/split/path",
    "/with space": "http://a/with%20space",
    "\\back\\slash": "http://a/back/slash",
    "\\\\host\\path": "http://host/path",
    "http:\\\\host\\path": "http://host/path",
    "http:////host/path": "http://host/path",
    "HTTP://EXAMPLE.Com/Path": "http://example.com/Path",
    "http://bücher.example/ü": "http://xn--bcher-kva.example/%C3%BC",
    "http://\uff27\uff2f.com/": "http://go.com/",
    "http://faß.example/": "http://xn--fa-hia.example/",
    "http://0x7f.1/": "http://127.0.0.1/",
    "http://2130706433/": "http://127.0.0.1/",
    "http://0300.0250.1/": "http://192.168.0.1/",
    "http://[0:0:0:0:0:0:0:1]:80/": "http://[::1]/",
    "http://ex%41mple.com/": "http://example.com/",
    "http://example.com:80/": "http://example.com/",
    "https://example.com:443": "https://example.com/",
    "https://example.com:80/": "https://example.com:80/",
    "http://example.com:/x": "http://example.com/x",
    "http://example.com:0080/x": "http://example.com/x",
    "/%2e%2E/%2e/x": "http://a/x",
    "/x/.%2e/y": "http://a/y",
    "/a//b///c": "http://a/a//b///c",
    "?": "http://a/b/c/d;p",
    "?ü='": "http://a/b/c/d;p?%C3%BC=%27",
    "/a|b^c`d{e}": "http://a/a|b%5Ec%60d%7Be%7D",
    "http://user:pw@example.com/x": "http://user:pw@example.com/x",
    "http://@example.com/x": "http://example.com/x",
    "/lone\ud800": "http://a/lone%EF%BF%BD",
}

NO_HTTP_URLS = [
    *(
        "g:h",
        "mailto:someone@example.com",
        "javascript:void(0)",
        "data:text/html,x",
        "ftp://example.com/",
        "tel:1",
    ),
    *(
        "http://",
        "https://exa mple.com/",
        "http://[::1",
        "http://example.com:99999/",
        "http://1.2.3.4.5/",
        "about:x",
    ),
    *(
        "http://a<b>.example/",
        "blob:https://example.com/1",
        "http://%/",
        "http://example.com../",
        "http://./",
    ),
]


@pytest.mark.parametrize(("reference", "expected"), {**RFC_3986, **BROWSER_ODDITIES}.items())
def test_resolves_as_a_browser_does(reference: str, expected: str) -> None:
    identity = canonicalize(reference, RFC_BASE)

    assert identity is not None
    assert identity.url == expected


@pytest.mark.parametrize("reference", NO_HTTP_URLS)
def test_what_is_no_http_url_has_no_identity(reference: str) -> None:
    assert canonicalize(reference, RFC_BASE) is None


def test_a_relative_reference_needs_a_base() -> None:
    assert canonicalize("/path", None) is None
    assert canonicalize("/path", "not a url") is None
    assert canonicalize("path", "mailto:someone@example.com") is None


@pytest.mark.parametrize(
    ("reference", "canonical"),
    [
        ("http://h/?b=2&a=1", "http://h/?a=1&b=2"),
        ("http://h/?a=2&a=1&a=2", "http://h/?a=1&a=2&a=2"),
        ("http://h/?a-b=1&a=1", "http://h/?a=1&a-b=1"),
        ("http://h/?a=&a", "http://h/?a&a="),
        ("http://h/?&&a=1&", "http://h/?a=1"),
        ("http://h/?&", "http://h/"),
        ("http://h/?b=%2f&a=x%20y+z", "http://h/?a=x%20y+z&b=%2F"),
        ("http://h/%7euser/%41%2d%2Fx", "http://h/~user/A-%2Fx"),
        ("http://h/?q=%7E%61%26", "http://h/?q=~a%26"),
        ("http://h/100%/%zz", "http://h/100%/%zz"),
        ("http://h/%%32%65", "http://h/%%32e"),
        ("http://h/%2%65", "http://h/%2%65"),
        ("http://h./x", "http://h/x"),
        ("http://h.:8080/x", "http://h:8080/x"),
        ("http://u@h./x", "http://u@h/x"),
    ],
)
def test_the_canonical_form_and_the_request(reference: str, canonical: str) -> None:
    identity = canonicalize(reference)

    assert identity is not None
    assert identity.url == canonical
    assert identity.request_url == reference
    assert identity.fingerprint == fingerprint_of(canonical)
    assert len(identity.fingerprint) == 16


@pytest.mark.parametrize(
    ("reference", "host", "scheme"),
    [
        ("http://Example.com/", "example.com", "http"),
        ("https://example.com:443/", "example.com", "https"),
        ("http://example.com:443/", "example.com:443", "http"),
        ("https://user:pw@example.com.:8443/", "example.com:8443", "https"),
        ("http://[::1]:8080/", "[::1]:8080", "http"),
    ],
)
def test_host_and_scheme(reference: str, host: str, scheme: str) -> None:
    identity = canonicalize(reference)

    assert identity is not None
    assert (identity.host, identity.scheme) == (host, scheme)


def test_ignored_parameters_are_not_identity_but_are_requested() -> None:
    ignored = ParameterFilter(DEFAULT_TRACKING_PARAMETERS)

    identity = canonicalize("http://h/?utm_source=x&b=1&gclid=2&utm%5Fmedium=y&a=2#top", None, ignored)
    alone = canonicalize("http://h/p?fbclid=1", None, ignored)

    assert identity is not None
    assert identity.url == "http://h/?a=2&b=1"
    assert identity.request_url == "http://h/?utm_source=x&b=1&gclid=2&utm%5Fmedium=y&a=2"
    assert alone is not None
    assert alone.url == "http://h/p"


def test_nothing_is_ignored_unless_asked_for() -> None:
    identity = canonicalize("http://h/?utm_source=x")

    assert identity is not None
    assert identity.url == "http://h/?utm_source=x"


@pytest.mark.parametrize(
    ("base_href", "expected"),
    [
        (None, "http://h/a/b"),
        ("", "http://h/a/b"),
        ("/c/", "http://h/c/"),
        ("//other/x", "http://other/x"),
        ("http://[broken", "http://h/a/b"),
        ("data:text/html,x", "http://h/a/b"),
        ("javascript:void(0)", "http://h/a/b"),
        ("ftp://files/", "ftp://files/"),
    ],
)
def test_document_base(base_href: str | None, expected: str) -> None:
    assert document_base("http://h/a/b", base_href) == expected


@given(references, pages)
@example("http://h/%%32%65", "http://h/")
@example("http://0x7f.1../", "http://h/")
def test_canonical_urls_are_their_own_canonical_form(reference: str, page: str) -> None:
    identity = canonicalize(reference, page)
    if identity is None:
        return

    again = canonicalize(identity.url)

    assert again is not None
    assert (again.url, again.request_url) == (identity.url, identity.url)
    assert (again.host, again.scheme, again.fingerprint) == (
        identity.host,
        identity.scheme,
        identity.fingerprint,
    )


@given(references, pages)
def test_the_request_resolves_to_itself_and_has_the_same_identity(reference: str, page: str) -> None:
    identity = canonicalize(reference, page)
    if identity is None:
        return

    assert canonicalize(identity.request_url) == identity
    assert "#" not in identity.request_url


@given(query_pieces.flatmap(lambda pieces: st.tuples(st.just(pieces), st.permutations(pieces))))
def test_the_order_of_query_parameters_does_not_matter(orders: tuple[list[str], list[str]]) -> None:
    first, second = (canonicalize("http://h/p?" + "&".join(pieces)) for pieces in orders)

    assert first is not None
    assert second is not None
    assert first.url == second.url


@given(references.filter(lambda reference: "#" not in reference), pages, st.text(max_size=10))
def test_fragments_do_not_matter(reference: str, page: str, fragment: str) -> None:
    # Spaces before the fragment are inside the URL, those at its end are not.
    reference = reference.rstrip()
    while reference and ord(reference[-1]) <= 32:
        reference = reference[:-1]

    assert canonicalize(f"{reference}#{fragment}", page) == canonicalize(reference, page)
