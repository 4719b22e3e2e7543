"""Links of pages, feeds and sitemaps."""

import gzip

import pytest

from crawlmesh.crawl.extraction import Document, PageLinks, page_links, sitemap_links


def page(body: bytes, content_type: str = "text/html") -> Document:
    return Document(body, content_type, "https://example.com/")


def test_links_are_given_as_written() -> None:
    links = page_links(
        page(
            b"""<head><base href=" /b/ "><base href="/c/"><link rel="Next" href="?p=2">
            <link rel=stylesheet href=x.css>
            <link rel="prev" href="?p=0"></head><a href=" one ">1</a><a href="two#x">2</a><a name=x>no</a>
            <a href="">self</a><map><area href="map"></map><iframe src="frame"></iframe><iframe></iframe>"""
        )
    )
    assert links == PageLinks([" one ", "two#x", "", "map", "frame", "?p=2", "?p=0"], "/b/")


def test_a_page_may_have_no_links() -> None:
    assert page_links(page(b"")) == PageLinks()
    assert page_links(page(b"{}", "application/json")) == PageLinks()
    assert page_links(page(b"x", "image/png")) == PageLinks()


def test_nofollow_is_kept_to_only_when_asked() -> None:
    document = page(
        b"<a rel='external NoFollow' href=1>1</a><a rel=me href=2>2</a><area rel=nofollow href=3>"
    )
    assert page_links(document).hrefs == ["1", "2", "3"]
    assert page_links(document, respect_nofollow=True).hrefs == ["2"]


@pytest.mark.parametrize(
    ("meta", "nofollow", "noindex"),
    [
        (b"", False, False),
        (b"<meta name=robots content='index, follow'>", False, False),
        (b"<META NAME=ROBOTS CONTENT='NOINDEX,NOFOLLOW'>", True, True),
        (b"<meta name=robots content=none>", True, True),
        (b"<meta name=robots content=nofollow><meta name=robots content=noindex>", True, True),
        (b"<meta name=robots><meta content=noindex><meta name=googlebot content=nofollow>", False, False),
    ],
)
def test_the_robots_meta_tag_is_reported(meta: bytes, nofollow: bool, noindex: bool) -> None:
    links = page_links(page(meta + b"<a href=1>"))
    assert (links.hrefs, links.nofollow, links.noindex) == (["1"], nofollow, noindex)


def test_reading_links_twice_gives_separate_lists() -> None:
    document = page(b"<a href=1>")
    page_links(document).hrefs.append("x")
    assert page_links(document).hrefs == ["1"]


URLSET = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> https://example.com/1?a=1&amp;b=2 </loc>
  <image:image><image:loc>https://i/1.png</image:loc></image:image></url>
<url><loc>https://example.com/2</loc></url><url><loc/></url></urlset>"""
PAGES = ["https://example.com/1?a=1&b=2", "https://example.com/2"]


@pytest.mark.parametrize(
    "content_type", ["application/xml", "text/xml", "text/html", "application/octet-stream"]
)
@pytest.mark.parametrize("compressed", [False, True])
def test_sitemaps(content_type: str, compressed: bool) -> None:
    body = gzip.compress(URLSET) if compressed else URLSET
    assert sitemap_links(page(body, content_type)) == (PAGES, [])


def test_sitemap_indexes() -> None:
    body = b"<sitemapindex><sitemap><loc>https://a/1.xml</loc></sitemap></sitemapindex>"
    assert sitemap_links(page(body, "application/xml")) == ([], ["https://a/1.xml"])
    assert page_links(page(body, "application/xml")).hrefs == ["https://a/1.xml"]


def test_text_sitemaps() -> None:
    assert sitemap_links(page(b"https://a/1\r\n\n# no\nhttp://a/2", "text/plain")) == (
        ["https://a/1", "http://a/2"],
        [],
    )


def test_sitemaps_are_unpacked_only_so_far() -> None:
    bomb = gzip.compress(b"<urlset><url><loc>https://a/1</loc></url>" + b" " * 10_000_000)
    assert sitemap_links(page(bomb, "application/gzip"), max_bytes=1000) == (["https://a/1"], [])


@pytest.mark.parametrize(
    "body",
    [b"", b"\x1f\x8bnonsense", gzip.compress(URLSET, mtime=0)[:-20], b"<urlset><url><loc>x", b"<html>"],
)
def test_broken_sitemaps_never_raise(body: bytes) -> None:
    for content_type in ("application/xml", "text/html", "application/gzip", "text/plain"):
        sitemap_links(page(body, content_type))


def test_feeds() -> None:
    rss = b"<rss><channel><link>https://a/</link><item><link> https://a/1 </link></item></channel></rss>"
    assert page_links(page(rss, "application/rss+xml")).hrefs == ["https://a/", "https://a/1"]
    atom = b"""<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="/feed"/><link href="/"/>
    <entry><link rel="alternate" href="/1"/><link rel="edit" href="/e"/></entry></feed>"""
    assert page_links(page(atom, "application/atom+xml")).hrefs == ["/", "/1"]
    assert page_links(page(b"<other><link>x</link></other>", "text/xml")).hrefs == []
