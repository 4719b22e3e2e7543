from collections import Counter
from urllib.parse import urljoin

from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite, PageKind
from tests.acceptance.full_crawl import FullCrawl, everywhere, read_records, selecting, urls_of


def test_every_page_has_one_record_and_nothing_else_has(site: DemoSite, full: FullCrawl) -> None:
    urls = [record["url"] for record in full.records]
    assert len(urls) == len(set(urls))
    assert set(urls) == site.manifest.expected_records(tracking_ignored=False)


def test_lines_have_the_keys_of_the_specification_in_order(full: FullCrawl) -> None:
    for record in full.records:
        assert list(record) == ["url", "final_url", "status", "depth", "fetched_at", "data"]
        assert (record["status"], record["final_url"]) == (200, record["url"])
        assert record["fetched_at"].endswith("Z")


def test_records_say_what_the_pages_say(site: DemoSite, full: FullCrawl) -> None:
    for record in full.records:
        entry = site.manifest.entries[record["url"]]
        products = record["data"].get("products", [])
        assert all(list(product) == ["title", "price", "url"] for product in products)
        listed = [(item["title"], item["price"], urljoin(entry.url, item["url"])) for item in products]
        assert listed == [(product.title, product.price, product.url) for product in entry.products]
        assert record["data"]["heading"] == entry.title


def test_pages_in_any_charset_are_read(site: DemoSite, full: FullCrawl) -> None:
    headings = {record["url"]: record["data"]["heading"] for record in full.records}
    shop = f"http://{site.hosts[1]}"
    assert headings[f"{shop}/charset/gbk"] == "中文商店 1"
    assert headings[f"{shop}/charset/latin"] == "Café crème à la carte 1"
    assert headings[f"{shop}/charset/broken"] == "Broken bytes 1"


def test_depths_are_those_of_the_manifest_or_of_a_longer_way(site: DemoSite, full: FullCrawl) -> None:
    """Pages are fetched as they are found, not level by level: a page may be found on a longer way first."""
    for record in full.records:
        depth = site.manifest.entries[record["url"]].depth
        assert depth is not None
        assert record["depth"] >= depth
    assert {record["url"] for record in full.records if record["depth"] == 0} == {site.portal_url}


def test_the_summary_has_the_right_numbers(site: DemoSite, full: FullCrawl) -> None:
    summary = full.finished.summary
    met = site.manifest.depths(tracking_ignored=False)
    kinds = Counter(site.manifest.entries[url].outcome for url in met)
    records = len(site.manifest.expected_records(tracking_ignored=False))
    assert (summary["records"], summary["pages"], summary["new_pages"]) == (records, records, records)
    loops = sum(url.endswith("/loop/self") for url in met)
    assert summary["dead"] == kinds[OutcomeKind.DEAD] + loops
    pages = Counter(site.manifest.entries[url].kind for url in met)
    assert summary["by_rule"] == {
        "scope_host": pages[PageKind.OUT_OF_SCOPE],
        "robots": pages[PageKind.DISALLOWED],
        "content_type": pages[PageKind.BINARY],
    }
    assert (summary["finished"], summary["resumed"], summary["stopped_by"]) == (True, False, None)
    assert (summary["pending"], summary["dead_seeds"]) == (0, [])
    flaky = len(site.manifest.of_kind(PageKind.FAILS_ONCE))
    assert summary["by_status"]["503"] == flaky
    assert summary["retries"] == flaky + 3 * len(site.manifest.of_kind(PageKind.FAILS_ALWAYS))


def test_robots_and_delays_are_respected(site: DemoSite, full: FullCrawl) -> None:
    assert full.disallowed_requests == 0
    assert full.mean_gap >= site.manifest.options.crawl_delay * 0.9
    assert full.most_at_once <= 3


def test_two_processes_bring_the_same(site: DemoSite, full: FullCrawl, command: Command) -> None:
    arguments = [*everywhere(site), *selecting(), "--output", "two.jsonl", "--json"]
    summary = command.run("crawl", *arguments, "--processes", 2).summary
    there = {record["url"]: record["data"] for record in read_records(command.folder / "two.jsonl")}
    assert there == {record["url"]: record["data"] for record in full.records}
    assert (summary["records"], summary["dead"]) == (len(there), full.finished.summary["dead"])


def test_tracking_parameters_do_not_tell_pages_apart(site: DemoSite, command: Command) -> None:
    shop = f"http://{site.hosts[1]}/"
    command.run(
        "crawl", shop, "--allow-private", "--output", "o.jsonl", tracking_parameters='["utm_*"]'
    )  # fmt: skip
    expected = site.manifest.expected_records(start=shop, hosts=[site.hosts[1]])
    assert urls_of(command.folder / "o.jsonl") == expected
