"""What pages say about themselves."""

from crawlmesh.crawl.extraction import Document, page_metadata

EMPTY: dict[str, object] = {
    "title": None,
    "description": None,
    "canonical": None,
    "language": None,
    "open_graph": {},
    "json_ld": [],
}


def metadata(body: bytes, content_type: str = "text/html") -> dict[str, object]:
    return page_metadata(Document(body, content_type, "https://example.com/x/"))


def test_everything_is_read() -> None:
    body = b"""<html lang=" de "><head><title> A
    b </title><meta name="Description" content=" Some  text "><meta name=description content=second>
    <link rel="canonical" href="../y"><meta property="og:title" content="T">
    <meta property="og:image" content="1">
    <meta property="og:image" content="2">
    <meta property="og:image" content="3"><meta property="og:empty">
    <script type="application/ld+json">{"@type": "Product"}</script>
    <script type="application/ld+json">{broken</script><script>{"not": "this"}</script>
    <script type="Application/LD+JSON; charset=utf-8">[{"a": 1}, {"b": 2}]</script></head>"""
    assert metadata(body) == {
        "title": "A b",
        "description": "Some text",
        "canonical": "https://example.com/y",
        "language": "de",
        "open_graph": {"title": "T", "image": ["1", "2", "3"]},
        "json_ld": [{"@type": "Product"}, {"a": 1}, {"b": 2}],
    }


def test_pages_that_say_nothing() -> None:
    assert metadata(b"<p>x</p>") == EMPTY
    assert metadata(b"{}", "application/json") == EMPTY
    assert metadata(b"<link rel=canonical href='http://['><html lang>") == EMPTY


def test_the_title_of_a_drawing_is_not_the_title_of_the_page() -> None:
    assert metadata(b"<body><svg><title>icon</title></svg>")["title"] is None
    assert metadata(b"<body><svg><title>icon</title></svg><title>late</title>")["title"] == "late"
