"""The container rule of flat specs."""

from typing import Any

import pytest

from crawlmesh.crawl.extraction import Document, Extractor, parse_selections
from crawlmesh.crawl.extraction.plural import plural

PRODUCTS = b"""<h1>Shop</h1><nav><a href="/home">Home</a></nav><div class="list">
<div class="product"><h2 class="title">Product 1</h2><p><span class="price">$19.99</span></p>
  <a href="/products/1">more</a><a href="/no">no</a></div>
<div class="product"><h2 class="title">Product 2</h2><div><span class="price">$29.99</span>
  <span class="price">$39.99</span></div><a>no</a><a href="/products/2">more</a></div></div>"""


def extract(body: bytes, **selectors: str) -> dict[str, Any]:
    spec = parse_selections(f"{name}={selector}" for name, selector in selectors.items())
    return Extractor(spec).extract(Document(body, "text/html", "https://example.com/products"))


def test_the_example_of_the_specification() -> None:
    assert extract(PRODUCTS, product="div.product", title="h2.title", price="span.price") == {
        "products": [
            {"title": "Product 1", "price": "$19.99", "url": "/products/1"},
            {"title": "Product 2", "price": "$29.99", "url": "/products/2"},
        ]
    }


def test_the_order_of_the_fields_does_not_matter() -> None:
    found = extract(PRODUCTS, price="span.price", heading="h1", title="h2.title", product="div.product")
    assert found == {
        "heading": "Shop",
        "products": [
            {"price": "$19.99", "title": "Product 1", "url": "/products/1"},
            {"price": "$29.99", "title": "Product 2", "url": "/products/2"},
        ],
    }


def test_lists_and_attributes_inside_a_container() -> None:
    spec = parse_selections(["product=.product", "prices[]=.price", "link=a::attr(href)", "none[]=u"])
    assert Extractor(spec).extract(Document(PRODUCTS, "text/html", "https://example.com/")) == {
        "products": [
            {"prices": ["$19.99"], "link": "/products/1", "none": [], "url": "/products/1"},
            {"prices": ["$29.99", "$39.99"], "link": "/products/2", "none": [], "url": "/products/2"},
        ]
    }


def test_a_field_called_url_takes_the_place_of_the_first_link() -> None:
    found = extract(PRODUCTS, product=".product", url="a:last-child::attr(href)")
    assert found == {"products": [{"url": "/no"}, {"url": "/products/2"}]}


def test_missing_fields_are_none_in_the_objects() -> None:
    body = b"<div><b>1</b></div><div></div><b>outside</b>"
    assert extract(body, item="div", name="b", price="i") == {
        "items": [{"name": "1", "price": None, "url": None}, {"name": None, "price": None, "url": None}]
    }


def test_without_containers_every_field_stands_under_its_own_name() -> None:
    selectors = {"product": "div.product", "title": "h2.title", "price": "span.price"}
    assert extract(b"<p>nothing</p>", **selectors) == {"product": None, "title": None, "price": None}
    assert extract(b"<h2 class=title>About</h2>", **selectors) == {
        "product": None,
        "title": "About",
        "price": None,
    }
    assert extract(b"<div class=product>x</div>", **selectors) == {
        "product": "x",
        "title": None,
        "price": None,
    }


def test_headings_and_inline_elements_are_no_containers() -> None:
    body = b"<h2><a href=/1>One <em>!</em></a></h2>"
    assert extract(body, title="h2", link="h2 a::attr(href)") == {"title": "One !", "link": "/1"}
    assert extract(body, title="h2", stress="em") == {"title": "One !", "stress": "!"}


def test_an_ending_says_that_a_field_is_no_container() -> None:
    assert extract(b"<div>a<i>b</i></div>", whole="div::text", part="i") == {"whole": "ab", "part": "b"}


def test_containers_nest() -> None:
    body = b"""<section><h3>A</h3><a href=/a>a</a><div><b>1</b><a href=/1>x</a></div>
    <div><b>2</b></div></section>
    <section><h3>B</h3><div><b>3</b></div></section>"""
    assert extract(body, category="section", name="h3", product="div", title="b") == {
        "categories": [
            {
                "name": "A",
                "products": [{"title": "1", "url": "/1"}, {"title": "2", "url": None}],
                "url": "/a",
            },
            {"name": "B", "products": [{"title": "3", "url": None}], "url": None},
        ]
    }


def test_a_container_inside_itself_nests_too() -> None:
    body = b"<div><b>1</b><div><b>2</b></div></div>"
    assert extract(body, comment="div", text="b") == {
        "comments": [{"comments": [{"comments": [], "text": "2", "url": None}], "text": "1", "url": None}]
    }


def test_a_candidate_that_contains_nothing_is_a_plain_field_of_its_container() -> None:
    body = b"<article><div class=n>N<a href=/n>n</a></div><b>1</b></article>"
    assert extract(body, item="article", name="div.n", bold="b") == {
        "items": [{"name": "Nn", "bold": "1", "url": "/n"}]
    }


def test_two_kinds_of_containers_side_by_side() -> None:
    body = b"<div><b>1</b></div><section><b>2</b></section>"
    assert extract(body, box="div", part="section", name="b", gone="u") == {
        "boxes": [{"name": "1", "url": None}],
        "parts": [{"name": "2", "url": None}],
        "gone": None,
    }


def test_a_link_may_be_a_container() -> None:
    body = b"<a class=card href=/1><h3>One</h3></a><a class=card><h3>Two</h3></a>"
    assert extract(body, card="a.card", name="h3") == {
        "cards": [{"name": "One", "url": "/1"}, {"name": "Two", "url": None}]
    }


def test_two_names_for_the_same_elements() -> None:
    found = extract(b"<div class='a b'><i>x</i></div>", first=".a", second=".b", text="i")
    assert found == {"firsts": [{"text": "x", "url": None}], "second": "x"}


def test_other_languages_stay_at_the_top() -> None:
    found = extract(PRODUCTS, product=".product", title="h2.title", price="xpath://span", any=r"re:\$(\d+)")
    assert found["price"] == "$19.99"
    assert found["any"] == "19"
    assert list(found["products"][0]) == ["title", "url"]


def test_a_plural_that_is_another_field_is_not_used() -> None:
    found = extract(b"<div><b>1</b></div>", item="div", items="u", name="b")
    assert found == {"item": [{"items": None, "name": "1", "url": None}]}


def test_json_pages_have_no_containers() -> None:
    spec = parse_selections(["product=.product", "title=h2", "name=json:name"])
    document = Document(b'{"name": "x"}', "application/json", "https://example.com/")
    assert Extractor(spec).extract(document) == {"product": None, "title": None, "name": "x"}


@pytest.mark.timeout(20)
def test_deep_pages_take_no_longer_than_flat_ones() -> None:
    body = b"<div class=product>" + b"<div>" * 3000 + b"<b>x</b>" * 3000
    found = extract(body, product=".product", name="b", inner="i")
    assert found["products"] == [{"name": "x", "inner": None, "url": None}]


@pytest.mark.parametrize(
    ("name", "several"),
    [
        *(
            ("product", "products"),
            ("category", "categories"),
            ("box", "boxes"),
            ("news", "news"),
            ("day", "days"),
        ),
        *(("match", "matches"), ("Dish", "Dishes"), ("y", "ys"), ("商品", "商品"), ("item2", "item2")),
    ],
)
def test_plurals(name: str, several: str) -> None:
    assert plural(name) == several
