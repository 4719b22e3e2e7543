import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.rules.url_identity import (
    DEFAULT_TRACKING_PARAMETERS,
    NO_PARAMETERS_IGNORED,
    LinkResolver,
    ParameterFilter,
    canonicalize,
    document_base,
)
from tests.unit.rules.url_strategies import pages, references

PLAIN_PATHS = st.text(alphabet="ab1/._-~", max_size=12)
PLAIN_LINKS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(
        [
            "",
            "/",
            "//",
            "./",
            "../",
            "../../",
            "http://example.com/",
            "https://a.test:443/",
            "http://h./",
            "http:/",
        ]
    ),
    PLAIN_PATHS,
    st.sampled_from(["", "?", "?b=1&a=2", "?utm_source=1", "?a=/../b&", "?a=%41", "?x='"]),
    st.sampled_from(["", "#", "#top", "# \n", "#/../x?y"]),
)
BASES = st.sampled_from([None, "", "/other/", "//cdn.example/x/", "ftp://files/", "data:x", "http://[", "?q"])
FILTERS = st.sampled_from([NO_PARAMETERS_IGNORED, ParameterFilter(DEFAULT_TRACKING_PARAMETERS)])


@given(st.lists(st.one_of(PLAIN_LINKS, references), max_size=8), pages, BASES, FILTERS)
def test_agrees_with_canonicalize(
    links: list[str], page: str, base_href: str | None, ignored: ParameterFilter
) -> None:
    resolver = LinkResolver(page, base_href, ignored)
    base = document_base(page, base_href)

    for link in links + links:
        assert resolver.resolve(link) == canonicalize(link, base, ignored)


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/x/y.html", "https://h/x/y.html"),
        ("y.html", "https://h/a/y.html"),
        ("../y.html", "https://h/y.html"),
        ("https://h/z", "https://h/z"),
        ("https://h:443/z?b=1&a=2#f", "https://h/z?a=2&b=1"),
        ("/x/../y", "https://h/y"),
        ("//other/y", "https://other/y"),
        ("", "https://h/a/b?q"),
        ("#top", "https://h/a/b?q"),
        ("?r", "https://h/a/b?r"),
    ],
)
def test_resolves_links_of_a_page(href: str, expected: str) -> None:
    identity = LinkResolver("https://h/a/b?q#f").resolve(href)

    assert identity is not None
    assert identity.url == expected


def test_links_of_a_page_without_an_http_base_lead_nowhere() -> None:
    resolver = LinkResolver("about:blank")

    assert resolver.resolve("/x") is None
    assert resolver.resolve("mailto:someone@example.com") is None
    assert resolver.resolve("http://h:99999/") is None
