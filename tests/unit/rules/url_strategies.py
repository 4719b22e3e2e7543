"""References as they turn up on pages, from plain to broken."""

from hypothesis import strategies as st

PAGES = (
    "https://example.com/a/b/c.html",
    "http://example.com:8080/a/b/?x=1",
    "http://user:secret@example.com/%7Euser/",
    "https://example.com./dir%2fname/page#top",
    "http://[::1]/x/y",
)

_fragments_of_urls = st.sampled_from(
    [
        *(
            "/",
            "//",
            "\\",
            ".",
            "..",
            "../",
            "./",
            "?",
            "&",
            "=",
            "#",
            ":",
            "@",
            ";",
            ",",
            "+",
            "~",
            "-",
            "_",
            "'",
        ),
        *("%", "%2", "%2e", "%2E", "%41", "%7e", "%2f", "%26", "%3d", "%32%65", "%%", "%c3%a9", "%zz"),
        *(
            "a",
            "b",
            "page",
            "1",
            "42",
            "index.html",
            ".hidden",
            "A",
            "Z",
            "e",
            "é",
            "ß",
            "日本",
            " ",
            "\t",
            "\n",
        ),
        *("http:", "https:", "http://", "https://", "HTTP://", "ftp://", "mailto:", "javascript:", "data:"),
        *(
            "example.com",
            "EXAMPLE.com",
            "example.com.",
            "a..",
            "127.1",
            "0x7f.1",
            "[::1]",
            ":80",
            ":443",
            ":99999",
        ),
        *("utm_source=x", "id=1", "id=2", "gclid", "b=2", "a=1", "a", "a=", "\ud800", "\x00", "user:pw@"),
    ]
)
assembled_references = st.lists(_fragments_of_urls, max_size=9).map("".join)
absolute_references = st.builds(
    "{}{}{}".format,
    st.sampled_from(["http://example.com", "https://example.com:8443", "http://a.test.", "https://xn--p1ai"]),
    st.sampled_from(["", "/"]),
    assembled_references,
)
references = st.one_of(assembled_references, absolute_references, st.text(max_size=30))
pages = st.sampled_from(PAGES)
query_pieces = st.lists(
    st.text(alphabet="abAB01=%-_.~+/?", max_size=6).filter(lambda piece: "&" not in piece), max_size=6
)
