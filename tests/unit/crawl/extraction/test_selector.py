"""The selector language: what each form finds, and that nothing unparsable is accepted."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlmesh.crawl.extraction import Document, compile_selector
from crawlmesh.errors import SelectorError

HTML = b"""<!doctype html><html lang="en"><head><title> Shop </title></head><body>
<h1 class="big">Hello,   <b>world</b>\n!</h1>
<a class="more" href="/one" data-id="1">One</a> <a class="more">None</a> <a href="">Two&nbsp; two</a>
<input disabled><p>SKU-123 SKU-456</p><script>var x = "SKU-789";</script></body></html>"""


def page(body: bytes = HTML, content_type: str = "text/html; charset=utf-8") -> Document:
    return Document(body, content_type, "https://example.com/shop/")


def first(text: str, document: Document | None = None) -> Any:
    return compile_selector("field", text).first(document or page())


def every(text: str, document: Document | None = None) -> list[Any]:
    return compile_selector("field", text).all(document or page())


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("h1", "Hello, world !"),
        ("  h1.big  ", "Hello, world !"),
        ("css:h1", "Hello, world !"),
        ("h1::text", "Hello, world !"),
        ("h1 ::text", "Hello, world !"),
        ("h1 > b::html", "<b>world</b>"),
        ("a::attr(href)", "/one"),
        ("a::attr( DATA-ID )", "1"),
        ("a:nth-of-type(2)::attr(href)", None),
        ("a[data-id='1']", "One"),
        ("input::attr(disabled)", ""),
        ("h7", None),
        ("::attr(lang)", "en"),
        ("title", "Shop"),
    ],
)
def test_css_takes_the_first_match(text: str, value: Any) -> None:
    assert first(text) == value


def test_css_takes_every_match_once_and_in_document_order() -> None:
    assert every("a") == ["One", "None", "Two two"]
    assert every("a::attr(href)") == ["/one", ""]
    assert every("a, .more, h1") == ["Hello, world !", "One", "None", "Two two"]


def test_a_first_attribute_is_that_of_the_first_element_that_has_it() -> None:
    assert first("a::attr(href)", page(b"<a>1</a><a href=/2>2</a>")) == "/2"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("xpath://h1", "Hello, world !"),
        ("xpath: //a/@href", "/one"),
        ("xpath:string(//h1/b)", "world"),
        ("xpath:count(//a)", 3.0),
        ("xpath:boolean(//h7)", False),
        ("xpath:number(//h1)", None),
        ("xpath://h1/b/text()", "world"),
        ("xpath://h7", None),
        (r"xpath://a[re:test(@href, '^/o')]", "One"),
    ],
)
def test_xpath(text: str, value: Any) -> None:
    assert first(text) == value


def test_xpath_gives_every_result() -> None:
    assert every("xpath://a/@href") == ["/one", ""]
    assert every("xpath:count(//a)") == [3.0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"re:SKU-\d+", "SKU-123"),
        (r"re:SKU-(\d)(\d)", "1"),
        (r"re:(?P<kind>SKU)-(?P<number>\d+)", {"kind": "SKU", "number": "123"}),
        (r"re:(?P<kind>SKU)-\d+", "SKU"),
        (r"re:var x = \"(.*?)\"", "SKU-789"),
        (r"re:nothing like this", None),
    ],
)
def test_regular_expressions_read_the_source(text: str, value: Any) -> None:
    assert first(text) == value


def test_regular_expressions_find_every_match() -> None:
    assert every(r"re:SKU-(\d+)") == ["123", "456", "789"]


def test_a_regular_expression_may_have_brackets_in_brackets() -> None:
    assert first(r"re:[[SKU]+-\d+") == "SKU-123"


def test_jmespath_reads_json() -> None:
    document = page(b'{"items": [{"name": "a", "n": 1}, {"name": "b"}], "x": null}', "application/json")
    assert first("jmespath:items[0].name", document) == "a"
    assert first("json:items[0]", document) == {"name": "a", "n": 1}
    assert every("jmespath:items[*].name", document) == ["a", "b"]
    assert first("jmespath:items[*].name", document) == "a"
    assert first("jmespath:x", document) is None
    assert first("jmespath:length(missing)", document) is None
    assert every("jmespath:items[0].n", document) == [1]


def test_jmespath_reads_json_arrays() -> None:
    document = page(b"[1, 2, 3]", "application/json; charset=utf-8")
    assert every("jmespath:[]", document) == [1, 2, 3]
    assert first("jmespath:[1]", document) == 2


@pytest.mark.parametrize("text", ["h1", "::attr(lang)", "xpath://h1", "xpath:count(//h1)"])
@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "image/png"])
def test_markup_selectors_find_nothing_on_other_pages(text: str, content_type: str) -> None:
    document = page(b'{"h1": "<h1>x</h1>"}', content_type)
    assert first(text, document) is None
    assert every(text, document) == []


def test_jmespath_finds_nothing_on_html() -> None:
    assert first("jmespath:a") is None


def test_xml_is_read_with_xpath() -> None:
    feed = b"""<?xml version="1.0"?><rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><item>
    <title>One</title><link>http://a/1</link><dc:creator>Me</dc:creator></item></channel></rss>"""
    document = page(feed, "application/rss+xml")
    assert first("xpath://item/link", document) == "http://a/1"
    assert first("xpath://dc:creator", document) == "Me"


def test_xml_entities_are_not_resolved() -> None:
    bomb = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">
    <!ENTITY f SYSTEM "file:///etc/passwd">]><x><y>&b;</y><z>&f;</z></x>"""
    document = page(bomb, "text/xml")
    assert "root:" not in str(every("xpath://z", document))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "   ",
            "css:",
            "div[",
            "a[href",
            "a[href='x'",
            "a[href='x]",
            "a)",
            "tr:nth-child(1",
            "a\\",
            "a\0b",
        ),
        *(
            "::attr()",
            "a::attr",
            "a::attr( )",
            "a::attr(a b)",
            "a::foo",
            "a::text(1)",
            "a::",
            "a::text, b::text",
        ),
        *("/html/body", "./p", "$.x", "> a", "a,", "a..b", "a:eq(1)", "p:contains('x')", "123", "a{}"),
        *(
            "xpath:",
            "xpath://",
            "xpath://a[",
            "xpath://a[@b='",
            "xpath:nope(1)",
            "xpath://foo:bar",
            "xpath:$x",
        ),
        *("xpath:a\0b", "re:", "re:(", "re:[a", "re:*", "re:(?P<a>x)(?P<a>y)", "re:a{99999999999}"),
        *("jmespath:", "json: ", "jmespath:a[", "jmespath:a..b", "jmespath:nope(@)", "jmespath:length()"),
    ],
)
def test_what_cannot_be_parsed_is_refused(text: str) -> None:
    with pytest.raises(SelectorError) as caught:
        compile_selector("products.fields.price", text)
    message = str(caught.value)
    assert "products.fields.price" in message
    assert repr(text) in message
    assert "for example" in message


def test_double_colons_in_quotes_are_no_ending() -> None:
    assert first("a[title='x::y']", page(b"<a title='x::y'>1</a>")) == "1"
    assert first("a[title='x::text']", page(b"<a title='x::text'>1</a>")) == "1"


@given(st.text(alphabet="abdiv.#[]()=\"'>~+*:,|^$ \\-_1x/@nth-child(2n)not:has:is", max_size=20))
@settings(max_examples=300, deadline=None)
def test_any_text_compiles_and_runs_or_is_refused(text: str) -> None:
    try:
        selector = compile_selector("field", text)
    except SelectorError:
        return
    selector.first(page())
    selector.all(page())
