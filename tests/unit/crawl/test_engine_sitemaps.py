import gzip

import pytest

from crawlmesh.model.link import FoundBy
from crawlmesh.testing.scripted_fetcher import Reply, html, redirect, status, text
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"
XML = "application/xml"


def urlset(*urls: str) -> str:
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def index(*urls: str) -> str:
    return f"<sitemapindex>{''.join(f'<sitemap><loc>{url}</loc></sitemap>' for url in urls)}</sitemapindex>"


async def test_the_default_location_is_read() -> None:
    kit = CrawlKit()
    kit.web.serve_all({f"{A}/": html(), f"{A}/hidden": html()})
    kit.web.serve(f"{A}/sitemap.xml", text(urlset(f"{A}/hidden", "https://b.example/"), XML))
    progress = await kit.crawl(f"{A}/", sitemaps=True)
    assert await kit.record_urls() == {f"{A}/", f"{A}/hidden"}
    hidden = await kit.ledger(f"{A}/hidden")
    assert (hidden.found_by, hidden.parent_url) == (FoundBy.SITEMAP, f"{A}/sitemap.xml")
    assert progress.by_rule == {"scope_host": 1, "sitemap": 1}
    assert (await kit.ledger(f"{A}/sitemap.xml")).reason == "sitemap"


async def test_sitemaps_of_robots_and_indexes_are_read() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/robots.txt", text(f"User-agent: *\nSitemap: {A}/index.xml"))
    kit.web.serve(f"{A}/index.xml", text(index(f"{A}/one.xml", f"{A}/two.xml.gz"), XML))
    kit.web.serve(f"{A}/one.xml", text(urlset(f"{A}/1"), XML))
    packed = gzip.compress(urlset(f"{A}/2").encode())
    kit.web.serve(f"{A}/two.xml.gz", Reply(headers=(("content-type", "application/gzip"),), body=packed))
    kit.web.serve_all({f"{A}/": html(), f"{A}/1": html(), f"{A}/2": html()})
    await kit.crawl(f"{A}/", sitemaps=True)
    assert await kit.record_urls() == {f"{A}/", f"{A}/1", f"{A}/2"}


async def test_a_missing_sitemap_is_not_a_dead_link() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html())
    progress = await kit.crawl(f"{A}/", sitemaps=True)
    assert (progress.dead, progress.done) == (0, 2)
    assert (await kit.ledger(f"{A}/sitemap.xml")).reason == "no_sitemap"


async def test_a_sitemap_that_fails_once_is_tried_again() -> None:
    kit = CrawlKit()
    kit.web.serve_all({f"{A}/": html(), f"{A}/hidden": html()})
    kit.web.serve(f"{A}/sitemap.xml", status(503), text(urlset(f"{A}/hidden"), XML))
    await kit.crawl(f"{A}/", sitemaps=True)
    assert await kit.record_urls() == {f"{A}/", f"{A}/hidden"}


async def test_sitemaps_are_not_looked_for_unless_asked_for() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/robots.txt", text(f"Sitemap: {A}/index.xml"))
    kit.web.serve(f"{A}/", html())
    await kit.crawl(f"{A}/")
    assert kit.web.urls() == [f"{A}/"]


class KilledError(Exception):
    pass


async def test_sitemaps_of_robots_survive_a_kill_before_the_first_settlement() -> None:
    kit = CrawlKit(settle_after=10.0)
    kit.web.serve(f"{A}/robots.txt", text(f"User-agent: *\nCrawl-delay: 1\nSitemap: {A}/index.xml"))
    kit.web.serve(f"{A}/index.xml", text(urlset(f"{A}/1"), XML))
    kit.web.serve_all({f"{A}/": html(), f"{A}/1": html()})

    async def kill() -> None:
        raise KilledError

    await kit.create(f"{A}/", sitemaps=True)
    kit.store.before["settle"] = kill
    with pytest.raises(KilledError):
        await kit.engine().run()
    kit.store.before.clear()
    await kit.store.expire(everything=True)
    await kit.go_on()
    assert f"{A}/1" in await kit.record_urls()


async def test_a_sitemap_of_another_host_does_not_widen_the_scope() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/robots.txt", text("Sitemap: https://b.example/map.xml"))
    kit.web.serve_all({f"{A}/": html(), f"{A}/hidden": html(), "https://b.example/": html()})
    kit.web.serve("https://b.example/map.xml", text(urlset(f"{A}/hidden", "https://b.example/"), XML))
    await kit.crawl(f"{A}/", sitemaps=True)
    assert await kit.record_urls() == {f"{A}/", f"{A}/hidden"}


async def test_a_sitemap_that_redirects_away_is_not_followed() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html())
    kit.web.serve(f"{A}/sitemap.xml", redirect("https://b.example/login"))
    kit.web.serve("https://b.example/login", html())
    await kit.crawl(f"{A}/", sitemaps=True)
    assert "https://b.example/login" not in kit.web.urls()
