from collections.abc import Iterator

import pytest

from crawlmesh.crawl.extraction.document import parse_html
from crawlmesh.crawl.outline import MOST_NODES, outline_of
from crawlmesh.crawl.outline_selectors import is_stable
from crawlmesh.model.preview import OutlineNode
from crawlmesh.testing.demo_site import DemoSiteOptions
from crawlmesh.testing.demo_site.resource import Resource
from crawlmesh.testing.demo_site.site import build_site

SHOP = b"""<html><head><title>Shop</title><meta name="description" content="A shop">
<link rel="icon" href="/i"><meta property="og:title" content="Things"></head><body class="css-1x2y3z">
<header id="top"><ul><li class="item active"><a href="/a">A</a></li><li class="item"><a href="/b">B</a></li>
<li class="item"><a href="/c">C</a></li></ul></header>
<main><h1>All  things</h1>
<div class="product card-x8f3a2b"><h2 class="title"><a href="/1">One</a></h2>
<span class="price">1</span></div>
<div class="product card-x8f3a2b"><h2 class="title"><a href="/2">Two</a></h2><p>Cheap</p></div>
<div id="p-12345"><p>x</p><p class="b">y</p><p class="b c">z</p></div>
<div><div><p>deep</p></div></div><div class="md:w-1/2">half</div>
<script>var hidden = 1</script></main></body></html>"""


def nodes_of(nodes: list[OutlineNode]) -> Iterator[OutlineNode]:
    for node in nodes:
        yield node
        yield from nodes_of(node.children)


def outline(source: bytes) -> dict[str, OutlineNode]:
    return {node.selector: node for node in nodes_of(outline_of(parse_html(source)).nodes)}


def test_elements_that_look_alike_are_one_node() -> None:
    found = outline(SHOP)
    product = found["div.product"]
    assert (product.count, product.tag, product.text) == (2, "div", "One 1")
    assert product.classes == ["product", "card-x8f3a2b"]
    # What only some of them have is there, too.
    assert [node.selector for node in product.children] == ["h2.title", "span.price", "div.product > p"]
    assert found["h2.title > a"].attributes == {"href": "/1"}


def test_selectors_are_short_and_stable() -> None:
    found = outline(SHOP)
    assert found["#top"].id == "top"
    assert found["h1"].text == "All things"
    assert found['meta[name="description"]'].attributes["content"] == "A shop"
    assert found['meta[property="og:title"]'].attributes["content"] == "Things"
    assert "#p-12345" not in found
    assert not any("css-1x2y3z" in selector or "card-x8f3a2b" in selector for selector in found)
    assert not any(node.tag in ("script", "link") for node in found.values())
    assert "hidden" not in found["body"].text


def test_siblings_are_told_apart() -> None:
    found = outline(SHOP)
    assert found["li.active"].count == 1
    assert found["#top > ul > li.item:not(.active)"].count == 2
    assert {"main > div:not([class]) > p:not([class])", "p.c"} <= found.keys()


def test_every_selector_finds_its_elements_and_no_others() -> None:
    sources = [SHOP, *(page.body for page in _pages())]
    assert len(sources) > 20
    for source in sources:
        tree = parse_html(source)
        for node in nodes_of(outline_of(tree).nodes):
            matches = tree.css(node.selector)
            assert len(matches) >= node.count, node.selector
            assert {match.tag for match in matches} == {node.tag}
            kinds = {frozenset((match.attributes.get("class") or "").split()) for match in matches}
            assert kinds == {frozenset(node.classes)}, node.selector


def test_a_large_page_is_cut_where_it_is_deepest() -> None:
    rows = b"".join(
        b'<div class="row c%d"><p class="t%d">x</p></div>' % (number, number) for number in range(900)
    )
    found = outline_of(parse_html(b"<body>" + rows))
    assert found.truncated
    assert len(list(nodes_of(found.nodes))) == MOST_NODES
    assert all(node.tag in ("body", "div") for node in nodes_of(found.nodes))
    deep = outline_of(parse_html(b"<body>" + b"<div>" * 200 + b"x"))
    assert deep.truncated


def test_long_texts_and_attributes_are_cut() -> None:
    found = outline(
        b'<body><p class="long">' + b"word " * 100 + b'</p><a class="far" href="/' + b"x" * 999 + b'">y</a>'
    )
    assert len(found["p.long"].text) == 120
    assert found["p.long"].text.endswith("…")
    assert len(found["a.far"].attributes["href"]) == 200


def test_an_empty_page_has_no_outline() -> None:
    assert outline_of(parse_html(b"")).nodes == []


@pytest.mark.parametrize("name", ["title", "product-list", "main_2", "h2o", "Header"])
def test_names_that_people_write_are_stable(name: str) -> None:
    assert is_stable(name)


@pytest.mark.parametrize(
    "name",
    ["", "p-12345", "css-1x2y3z", "sc-bdVaJa", "ember-view", "a:b", "2col", "w-1/2", "x" * 99, "item-9f3a2b"],
)
def test_names_that_programs_make_up_are_not(name: str) -> None:
    assert not is_stable(name)


def _pages() -> list[Resource]:
    site = build_site(DemoSiteOptions(shops=2, products=4), 8000)
    return [page for page in site.resources.values() if page.body.startswith(b"<!DOCTYPE html>")]
