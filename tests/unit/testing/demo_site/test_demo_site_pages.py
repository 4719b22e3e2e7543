import gzip
from urllib.parse import urljoin

import pytest
from selectolax.lexbor import LexborHTMLParser

from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions, ManifestEntry, PageKind
from tests.unit.testing.demo_site.fetching import Fetched, fetch

UNANSWERED = {PageKind.OUT_OF_SCOPE, PageKind.HANGING, PageKind.ENDLESS}


def shop_url(site: DemoSite, target: str, shop: int = 1) -> str:
    return f"http://{site.hosts[shop]}{target}"


def check_answer(entry: ManifestEntry, fetched: Fetched) -> None:
    assert fetched.status == entry.status, entry.url
    assert fetched.headers["content-type"] == entry.content_type
    if entry.redirect_to:
        assert urljoin(entry.url, fetched.headers["location"]).partition("#")[0] == entry.redirect_to


def test_every_url_answers_as_the_manifest_says(site: DemoSite) -> None:
    for entry in site.manifest.entries.values():
        if entry.kind in UNANSWERED:
            continue
        fetched = fetch(entry.url)
        if entry.kind is PageKind.FAILS_ONCE:
            assert fetched.status == 503
            fetched = fetch(entry.url)
        check_answer(entry, fetched)


def test_every_kind_is_there(site: DemoSite) -> None:
    assert {entry.kind for entry in site.manifest.entries.values()} == set(PageKind)


def test_list_pages_have_the_products_of_the_manifest(site: DemoSite) -> None:
    entry = site.manifest.entries[shop_url(site, "/products?page=2&sort=price")]
    tree = LexborHTMLParser(fetch(entry.url).body)
    seen = []
    for card in tree.css("div.product"):
        anchor, price = card.css_first("h2.title > a"), card.css_first("span.price")
        assert anchor is not None
        assert price is not None
        seen.append((anchor.text(), price.text(), urljoin(entry.url, anchor.attributes["href"])))
    assert seen == [(product.title, product.price, product.url) for product in entry.products]
    assert len(seen) == 4


def test_titles_are_those_of_the_manifest(site: DemoSite) -> None:
    for target, charset in (("/products/3", "utf-8"), ("/charset/gbk", "gbk"), ("/charset/latin", "latin-1")):
        entry = site.manifest.entries[shop_url(site, target)]
        assert f"<title>{entry.title}</title>" in fetch(entry.url).body.decode(charset)


def test_product_page_has_metadata(site: DemoSite) -> None:
    tree = LexborHTMLParser(fetch(shop_url(site, "/products/1")).body)
    for selector in ('script[type="application/ld+json"]', 'meta[property="og:title"]', "span.price"):
        assert tree.css_first(selector) is not None


def test_product_pages_answer_conditional_requests(site: DemoSite) -> None:
    url = shop_url(site, "/products/1")
    first = fetch(url)
    etag, modified = first.headers["etag"], first.headers["last-modified"]
    for headers in (
        {"If-None-Match": etag},
        {"If-None-Match": f'"other", W/{etag}'},
        {"If-Modified-Since": modified},
        {"If-None-Match": etag, "If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
    ):
        again = fetch(url, headers)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", etag)
    for headers in (
        {"If-None-Match": '"other"'},
        {"If-None-Match": '"other"', "If-Modified-Since": modified},
        {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
        {"If-Modified-Since": "yesterday"},
    ):
        assert fetch(url, headers).status == 200


def test_transfer_forms(site: DemoSite) -> None:
    compressed = fetch(shop_url(site, "/encoded/gzip"))
    assert compressed.headers["content-encoding"] == "gzip"
    assert b"Much of the same." in gzip.decompress(compressed.body)
    chunked = fetch(shop_url(site, "/encoded/chunked"))
    assert chunked.headers["transfer-encoding"] == "chunked"
    assert chunked.body.endswith(b"</html>\n")
    with pytest.raises(UnicodeDecodeError):
        fetch(shop_url(site, "/charset/broken")).body.decode()


@pytest.mark.parametrize(
    ("variant", "canonical"),
    [
        ("/search?b=2&a=1", "/search?a=1&b=2"),
        ("/x/../products/./3", "/products/3"),
        ("/products/%33", "/products/3"),
        ("/brands/caf%c3%a9", "/brands/caf%C3%A9"),
        ("/products/3?utm_source=x", "/products/3"),
    ],
)
def test_variants_bring_the_same_page(site: DemoSite, variant: str, canonical: str) -> None:
    assert fetch(shop_url(site, variant)).body == fetch(shop_url(site, canonical)).body


def test_robots_files_differ_by_host(site: DemoSite) -> None:
    texts = [fetch(f"http://{host}/robots.txt") for host in site.hosts]
    assert [text.status for text in texts] == [200, 200, 200, 404, 200]
    assert [b"Crawl-delay: 0.2" in text.body for text in texts] == [False, False, True, False, False]
    assert b"Disallow: /private/" in texts[1].body


def test_sitemaps_name_pages_that_nothing_links(site: DemoSite) -> None:
    index = fetch(shop_url(site, "/sitemap.xml")).body.decode()
    assert shop_url(site, "/sitemap-pages.xml.gz") in index
    pages = gzip.decompress(fetch(shop_url(site, "/sitemap-pages.xml.gz")).body).decode()
    hidden = shop_url(site, "/hidden/1")
    assert f"<loc>{hidden}</loc>" in pages
    assert site.manifest.entries[hidden].sitemap_only
    assert site.manifest.entries[hidden].depth is None


def test_traps_go_on_for_ever(site: DemoSite) -> None:
    assert b'href="?month=100001"' in fetch(shop_url(site, "/calendar?month=100000")).body
    assert b'href="/trap/a/b/a/b/a"' in fetch(shop_url(site, "/trap/a/b/a/b")).body
    assert site.manifest.is_trap(shop_url(site, "/calendar?month=100000"))
    assert not site.manifest.is_trap(shop_url(site, "/products"))


def test_unknown_pages_are_missing(site: DemoSite) -> None:
    assert fetch(shop_url(site, "/nowhere")).status == 404
    assert fetch(f"{site.portal_url}products/1").status == 404


def test_head_has_no_body(site: DemoSite) -> None:
    assert fetch(site.portal_url, method="HEAD").body == b""


def test_rate_limit_once() -> None:
    options = DemoSiteOptions(shops=1, products=2, rate_limit_once=True, retry_after=3)
    with DemoSite(options) as site:
        assert fetch(shop_url(site, "/robots.txt")).status == 200
        limited = fetch(shop_url(site, "/products/1"))
        assert (limited.status, limited.headers["retry-after"]) == (429, "3")
        assert fetch(shop_url(site, "/products/1")).status == 200
        assert fetch(shop_url(site, "/")).status == 200
