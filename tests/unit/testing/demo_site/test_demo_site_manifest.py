from pathlib import Path

import ada_url
import msgspec
import pytest
from selectolax.lexbor import LexborHTMLParser

from crawlmesh.errors import SettingError
from crawlmesh.testing.demo_site import DemoSiteOptions, Manifest, PageKind
from crawlmesh.testing.demo_site.site import build_site
from tests.unit.testing.demo_site.sizes import SMALL

PORT = 8000


@pytest.fixture(scope="module")
def manifest() -> Manifest:
    return Manifest.build(SMALL, PORT)


def url(target: str, shop: int = 1) -> str:
    return f"http://127.0.0.{shop + 1}:{PORT}{target}"


def canonical(reference: str, base: str) -> str | None:
    parsed = ada_url.URL(reference, base)
    if parsed.protocol != "http:":
        return None
    parsed.hash = ""
    parsed.search = "&".join(sorted(parsed.search.removeprefix("?").split("&")))
    return str(parsed.href).removesuffix("#")


def test_links_resolve_as_the_manifest_says() -> None:
    site = build_site(SMALL, PORT)
    for resource in site.resources.values():
        if not resource.content_type.startswith("text/html") or resource.headers:
            continue
        tree = LexborHTMLParser(resource.body)
        element = tree.css_first("base[href]")
        base = canonical((element and element.attributes["href"]) or "", resource.url)
        assert base is not None
        hrefs = [anchor.attributes["href"] or "" for anchor in tree.css("a[href]")]
        found = {canonical(href, base) for href in hrefs} - {None, resource.url}
        assert found == set(resource.links) - {resource.url}, resource.url


def test_urls_are_canonical(manifest: Manifest) -> None:
    for address in manifest.entries:
        assert canonical(address, address) == address


def test_every_link_has_an_entry(manifest: Manifest) -> None:
    for entry in manifest.entries.values():
        assert set(entry.links) <= manifest.entries.keys()
        assert entry.redirect_to is None or entry.redirect_to in manifest.entries


def test_only_what_is_meant_to_is_unreachable(manifest: Manifest) -> None:
    stray = {
        entry.kind for entry in manifest.entries.values() if entry.depth is None and not entry.sitemap_only
    }
    assert stray == {PageKind.ROBOTS, PageKind.SITEMAP, PageKind.ENDLESS, PageKind.HANGING}


def test_expected_records(manifest: Manifest) -> None:
    expected = manifest.expected_records()
    assert {
        url("/"),
        url("/products/12"),
        url("/arrived/301"),
        url("/chain/end"),
        url("/flaky/2"),
    } <= expected
    assert {url("/private/garden"), url("/charset/gbk"), url("/api/products"), url("/slow")} <= expected
    never = ["/moved/301", "/loop/1", "/private/", "/missing", "/broken", "/files/photo.png", "/robots.txt"]
    assert expected.isdisjoint(
        url(target) for target in [*never, "/sitemap.xml", "/hidden/1", "/calendar?month=1"]
    )
    assert expected.isdisjoint(entry.url for entry in manifest.of_kind(PageKind.OUT_OF_SCOPE))
    assert all(manifest.entries[address].gives_record for address in expected)


def test_expected_records_follow_the_settings_of_the_crawl(manifest: Manifest) -> None:
    expected = manifest.expected_records()
    assert {url("/hidden/1"), url("/hidden/3", 4)} <= manifest.expected_records(sitemaps=True) - expected
    assert manifest.expected_records(robots=False) - expected == {
        entry.url for entry in manifest.of_kind(PageKind.DISALLOWED)
    }
    twins = manifest.expected_records(tracking_ignored=False) - expected
    assert twins == {entry.url for entry in manifest.entries.values() if entry.alias_of}
    assert len(twins) == 6
    assert manifest.expected_records(max_depth=0) == {manifest.portal_url}
    assert len(manifest.expected_records(max_depth=1)) == 2 + SMALL.shops
    alone = manifest.expected_records(start=url("/"), hosts=[manifest.hosts[1]])
    assert alone == {address for address in expected if address.startswith(url("/"))}


def test_depths(manifest: Manifest) -> None:
    depths = {"/": 1, "/curiosities": 2, "/moved/301": 3, "/arrived/301": 3, "/chain/end": 3, "/private/": 3}
    assert {target: manifest.entries[url(target)].depth for target in depths} == depths
    ignoring = manifest.depths()
    assert all(manifest.entries[address].depth == depth for address, depth in ignoring.items())


def test_default_size() -> None:
    assert 600 <= len(Manifest.build(DemoSiteOptions(), PORT).expected_records()) <= 1000


def test_plain_shops_only() -> None:
    manifest = Manifest.build(DemoSiteOptions(shops=1, products=5, curiosities=False), PORT)
    assert not manifest.of_kind(PageKind.REDIRECT)
    assert manifest.of_kind(PageKind.DISALLOWED)


def test_endless_and_hanging_pages_are_linked_on_request() -> None:
    manifest = Manifest.build(DemoSiteOptions(shops=1, products=2, endless=True, hanging=True), PORT)
    assert manifest.entries[url("/endless")].depth == manifest.entries[url("/hanging")].depth == 3


def test_same_options_same_site() -> None:
    assert build_site(SMALL, PORT).resources == build_site(SMALL, PORT).resources
    other = DemoSiteOptions(shops=4, products=12, seed=2)
    first = url("/products/1")
    assert build_site(SMALL, PORT).resources[first].body != build_site(other, PORT).resources[first].body


def test_survives_a_file(manifest: Manifest, tmp_path: Path) -> None:
    manifest.write(tmp_path / "manifest.json")
    assert Manifest.read(tmp_path / "manifest.json") == manifest


@pytest.mark.parametrize("name", ["shops", "categories", "products", "page_size"])
def test_bad_options_are_named(name: str) -> None:
    with pytest.raises(SettingError, match=f"{name} is 0; choose"):
        msgspec.convert({name: 0}, DemoSiteOptions)
