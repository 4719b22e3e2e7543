"""Explicit specs: nesting, lists, types, defaults, and what is refused."""

import pickle
from typing import Any

import pytest

from crawlmesh.crawl.extraction import Document, ExtractionSpec, Extractor, parse_selections
from crawlmesh.errors import SelectorError

HTML = b"""<html><body><h1>Shop</h1><i class=tag>a</i><i class=tag>b</i>
<div class="product" data-id="7"><h2>One</h2><span class="price">$1,299.00</span><a href="../p/1">x</a>
  <ul><li><b>s</b></li><li><b>m</b></li></ul></div>
<div class="product" data-id="x"><h2>Two</h2><div>inner</div></div></body></html>"""
URL = "https://example.com/shop/list/"


def extract(spec: Any, body: bytes = HTML, content_type: str = "text/html") -> dict[str, Any]:
    return Extractor(ExtractionSpec.from_json(spec)).extract(Document(body, content_type, URL))


def test_containers_give_lists_of_objects_under_their_own_name() -> None:
    spec = {
        "shop": "h1",
        "product": {
            "selector": "div.product",
            "fields": {
                "name": "h2",
                "price": {"selector": ".price", "type": "number", "default": 0},
                "link": {"selector": "a::attr(href)", "type": "url"},
                "id": {"selector": "::attr(data-id)", "type": "integer"},
                "sizes": {"selector": "li", "fields": {"size": "b"}},
                "inner": "div",
                "letters[]": "b",
                "raw": r"re:data-id=\"(.)\"",
            },
        },
    }
    assert extract(spec) == {
        "shop": "Shop",
        "product": [
            {
                "name": "One",
                "price": 1299.0,
                "link": "https://example.com/shop/p/1",
                "id": 7,
                "sizes": [{"size": "s"}, {"size": "m"}],
                "inner": None,
                "letters": ["s", "m"],
                "raw": "7",
            },
            {
                "name": "Two",
                "price": 0,
                "link": None,
                "id": None,
                "sizes": [],
                "inner": "inner",
                "letters": [],
                "raw": "x",
            },
        ],
    }


def test_many_containers_read_as_few_do() -> None:
    body = b"".join(b"<div><b>%d</b><i>x</i><i>y%d</i></div>" % (n, n) for n in range(50)) + b"<b>out</b>"
    spec = {"all": {"selector": "div", "fields": {"b": "b", "i[]": "i", "u": "u", "me": "div"}}}
    expected = [{"b": str(n), "i": ["x", f"y{n}"], "u": None, "me": None} for n in range(50)]
    assert extract(spec, body) == {"all": expected}


def test_many_containers_with_every_kind_of_field() -> None:
    body = b"".join(b"<div id=d%d><a>x</a><a href=/%d>n %d</a></div>" % (n, n, n) for n in range(9))
    number = {"selector": "a:last-child", "all": True, "type": "number"}
    fields = {"id": "::attr(id)", "links": {"selector": "a", "fields": {"to": "::attr(href)"}}, "n": number}
    spec = {"all": {"selector": "div", "fields": fields | {"raw": "re:id=.(d.)", "href": "a::attr(href)"}}}
    assert extract(spec, body)["all"][8] == {
        "id": "d8",
        "links": [{"to": None}, {"to": "/8"}],
        "n": [8.0],
        "raw": "d8",
        "href": "/8",
    }


def test_containers_inside_themselves_each_see_all_that_is_in_them() -> None:
    body = b"<div>" * 10 + b"<b>x</b>" + b"</div>" * 10
    assert extract({"all": {"selector": "div", "fields": {"b": "b"}}}, body) == {"all": [{"b": "x"}] * 10}


def test_a_container_may_ask_for_its_first_match_only() -> None:
    spec = {"product": {"selector": "div.product", "all": False, "fields": {"name": "h2"}}}
    assert extract(spec) == {"product": {"name": "One"}}
    assert extract(spec, b"<p>") == {"product": None}


def test_xpath_and_json_containers() -> None:
    spec = {"products": {"selector": "xpath://div[@class='product']", "fields": {"name": "xpath:./h2"}}}
    assert extract(spec) == {"products": [{"name": "One"}, {"name": "Two"}]}
    spec = {"rows": {"selector": "json:rows", "fields": {"id": "json:id", "re": r"re:(\d+)"}}}
    body = b'{"rows": [{"id": 1}, 5, {"id": 2}]}'
    assert extract(spec, body, "application/json") == {"rows": [{"id": 1, "re": "1"}, {"id": 2, "re": "2"}]}


def test_all_and_brackets_ask_for_lists() -> None:
    spec = {"tags[]": "i.tag", "more": {"selector": "i.tag", "all": True}, "none[]": "u", "one": "i.tag"}
    expected = {"tags": ["a", "b"], "more": ["a", "b"], "none": [], "one": "a"}
    assert extract(spec | {"x": {"selector": "u", "default": "d"}}) == expected | {"x": "d"}


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$1,299.00", 1299.0),
        ("1.299,00 €", 1299.0),
        ("1 299,50", 1299.5),
        ("1\u00a0299", 1299.0),
        ("1,299", 1299.0),
        ("12,5 kg", 12.5),
        ("1.234.567", 1234567.0),
        ("1,234,567.89", 1234567.89),
        ("CHF 1'299.00", 1299.0),
        ("-5", -5.0),
        ("\u22125.5", -5.5),
        ("-$5", -5.0),
        ("10-20", 10.0),
        ("A-7", 7.0),
        (".5", 0.5),
        ("3 4", 3.0),
        ("none", None),
        ("", None),
        ("9" * 5000, 1e40 * 0.9999999999999999),
    ],
)
def test_numbers(text: str, number: float | None) -> None:
    found = extract({"n": {"selector": "p", "type": "number"}}, f"<p>{text}</p>".encode())["n"]
    assert found == (number if number is None else pytest.approx(number))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "1,299 items", 1299),
        ("integer", "4.0", 4),
        ("integer", "4.5", None),
        ("integer", "9" * 30, None),
        ("integer", "-3", -3),
        ("boolean", "Yes", True),
        ("boolean", "off", False),
        ("boolean", "maybe", None),
        ("string", " a  b ", "a b"),
        ("url", "p?q=1", "https://example.com/shop/list/p?q=1"),
        ("url", "http://[", None),
    ],
)
def test_types(kind: str, text: str, value: Any) -> None:
    assert extract({"x": {"selector": "p", "type": kind}}, f"<p>{text}</p>".encode()) == {"x": value}


def test_types_of_json_values() -> None:
    body = b'{"n": 5, "f": 2.0, "b": true, "s": "7", "o": {}}'

    def typed(name: str, kind: str) -> Any:
        return extract({"x": {"selector": f"json:{name}", "type": kind}}, body, "application/json")["x"]

    assert [typed("n", kind) for kind in ("string", "number", "integer", "boolean")] == ["5", 5.0, 5, None]
    assert [typed("b", kind) for kind in ("string", "number", "integer", "boolean")] == [
        "true",
        None,
        None,
        True,
    ]
    assert [typed("f", "integer"), typed("s", "integer"), typed("o", "number"), typed("o", "string")] == [
        2,
        7,
        None,
        None,
    ]
    assert typed("n", "url") is None


def test_urls_resolve_against_the_base_element() -> None:
    body = b"<base href='/other/'><a href='p'>x</a>"
    assert extract({"x": {"selector": "a::attr(href)", "type": "url"}}, body) == {
        "x": "https://example.com/other/p"
    }


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        (
            {"products": {"selector": "div", "fields": {"price": {"selector": "p["}}}},
            "products.fields.price.selector",
        ),
        ({"products": {"selector": "div", "fields": {"price": 5}}}, "products.fields.price"),
        ({"products": {"selector": "div", "fields": {}}}, "products.fields"),
        ({"products": {"selector": "div", "fields": "x"}}, "products.fields"),
        ({"products": {"selector": "div::text", "fields": {"a": "b"}}}, "products.selector"),
        ({"products": {"selector": "re:x", "fields": {"a": "b"}}}, "products.selector"),
        ({"products": {"selector": "div", "type": "url", "fields": {"a": "b"}}}, "products.type"),
        ({"products": {"selector": "div", "fields": {"a": "xpath:./b"}}}, "products.fields.a"),
        ({"products": {"selector": "xpath://a", "fields": {"a": "b"}}}, "products.fields.a"),
        ({"products": {"selector": "xpath://a", "fields": {"a": "xpath://b"}}}, "products.fields.a"),
        ({"a": {"selector": "b", "colour": 1}}, "a.colour"),
        ({"a": {"fields": {"b": "c"}}}, "a.selector"),
        ({"a": {"selector": 7}}, "a.selector"),
        ({"a": {"selector": "b", "all": "yes"}}, "a.all"),
        ({"a[]": {"selector": "b", "all": False}}, "a.all"),
        ({"a": {"selector": "b", "type": "date"}}, "a.type"),
        ({"a": {"selector": "b", "type": ["url"]}}, "a.type"),
        ({"a": {"selector": "b", "default": {1, 2}}}, "a.default"),
        ({"a": {"selector": "b", "default": float("nan")}}, "a.default"),
        ({"a": None}, "a"),
        ({"": "b"}, "empty name"),
        ({"[]": "b"}, "empty name"),
        ({7: "b"}, "7"),
        ({"a[b": "c"}, "a[b"),
        ({"a": "b", "a[]": "b"}, "a"),
        ({}, "no fields"),
        ([], "mapping"),
        ("h1", "mapping"),
        ({"selectors": {}}, "no fields"),
        ({"selectors": {"a": "b"}, "other": 1}, "other"),
        ({"selectors": {"a": "b"}, "metadata": "yes"}, "metadata"),
    ],
)
def test_what_is_wrong_is_named(spec: Any, path: str) -> None:
    with pytest.raises(SelectorError, match=r".") as caught:
        ExtractionSpec.from_json(spec)
    assert path in str(caught.value)


def test_absurd_nesting_is_refused() -> None:
    spec: dict[str, Any] = {"a": "b"}
    for _ in range(100):
        spec = {"a": {"selector": "b", "fields": spec}}
    with pytest.raises(SelectorError, match="levels"):
        ExtractionSpec.from_json(spec)


def test_a_spec_survives_being_stored_and_sent() -> None:
    source = {"a[]": "b", "c": {"selector": "xpath://d", "default": [1], "fields": {"e": "re:f"}}}
    spec = ExtractionSpec.from_json({"selectors": source, "metadata": True})
    assert spec.to_json() == {"selectors": source, "metadata": True}
    assert ExtractionSpec.from_json(spec.to_json()) == spec
    copy = pickle.loads(pickle.dumps(spec))
    assert copy == spec
    assert hash(copy) == hash(spec)
    assert ExtractionSpec.from_json({"selectors": {}, "metadata": True}).fields == ()


def test_a_field_may_be_called_selectors() -> None:
    assert extract({"selectors": "h1"}) == {"selectors": "Shop"}


def test_selections_of_the_command_line() -> None:
    spec = parse_selections(["title=h1", " link = a[href='x=y']::attr(href)", "tags[]=i"])
    assert spec.to_json()["selectors"] == {"title": "h1", "link": " a[href='x=y']::attr(href)", "tags[]": "i"}
    assert [field.all for field in spec.fields] == [False, False, True]


@pytest.mark.parametrize("selections", [["h1"], ["=h1"], ["a="], ["a=b", "a=c"], ["a=b", "a[]=c"]])
def test_bad_selections_are_refused(selections: list[str]) -> None:
    with pytest.raises(SelectorError):
        parse_selections(selections)
