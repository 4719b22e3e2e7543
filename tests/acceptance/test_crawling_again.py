from pathlib import Path

from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite, PageKind
from tests.acceptance.full_crawl import FullCrawl, read_records
from tests.acceptance.page_server import PageServer, answer


def test_a_finished_crawl_has_nothing_left_to_do(site: DemoSite, full: FullCrawl, command: Command) -> None:
    state = full.copy_to(command.folder)
    site.log.clear()
    done = command.run("crawl", *full.arguments, "--state", state)
    assert site.log.requests() == []
    assert "Nothing was left to do." in done.out
    assert read_records(state / "records.jsonl") == full.records


def test_retry_failed_requests_only_dead_links(site: DemoSite, full: FullCrawl, command: Command) -> None:
    state = full.copy_to(command.folder)
    site.log.clear()
    done = command.run("crawl", "--retry-failed", "--allow-private", "--state", state, "--json")
    dead = {
        entry.url
        for kind in (PageKind.FAILS_ALWAYS, PageKind.MISSING)
        for entry in site.manifest.of_kind(kind)
        if entry.depth is not None
    } | {url for url in site.manifest.entries if url.endswith("/loop/self")}
    assert {request.start.url for request in site.log.requests()} == dead
    assert done.summary["dead"] == len(dead) == full.finished.summary["dead"]
    assert done.summary["records"] == len(full.records)


def test_retry_failed_brings_what_works_by_now(server: PageServer, command: Command) -> None:
    server.page("/", '<a href="/a">a</a>')
    first = command.run("crawl", server.url(), "--allow-private", "--json").summary
    assert (first["records"], first["dead"]) == (1, 1)
    server.page("/a", '<a href="/b">b</a>')
    server.page("/b", "here")
    again = command.run("crawl", "--retry-failed", "--allow-private", "--json").summary
    assert (again["records"], again["dead"]) == (3, 0)
    assert server.targets() == ["/", "/a", "/a", "/b"]


def test_recrawl_keeps_what_did_not_change(site: DemoSite, full: FullCrawl, command: Command) -> None:
    state = full.copy_to(command.folder)
    site.log.clear()
    done = command.run("crawl", "--recrawl", "--allow-private", "--state", state, "--json")
    statuses = [request.status for request in site.log.requests()]
    products = sum(record["url"].split("/")[-2] == "products" for record in full.records)
    assert statuses.count(304) == done.summary["by_outcome"]["not_modified"] == products > 0
    again = {record["url"]: record["data"] for record in read_records(state / "records.jsonl")}
    assert again == {record["url"]: record["data"] for record in full.records}


def test_fresh_starts_over(server: PageServer, command: Command) -> None:
    server.page("/", "<h1>old</h1>")
    arguments = ["crawl", server.url(), "--allow-private", "--select", "h=h1", "--output", "o.jsonl"]
    command.run(*arguments)
    server.page("/", "<h1>new</h1>")
    command.run(*arguments)
    assert [record["data"] for record in read_records(command.folder / "o.jsonl")] == [{"h": "old"}]
    command.run(*arguments, "--fresh")
    assert [record["data"] for record in read_records(command.folder / "o.jsonl")] == [{"h": "new"}]


def test_another_crawl_in_the_same_state_is_refused(full: FullCrawl, command: Command) -> None:
    state = full.copy_to(command.folder)
    refused = command.run("crawl", *full.arguments, "--state", state, "--depth", 2, "--sitemaps", code=2)
    assert refused.err.count("\n") == 1
    assert "depth, sitemaps" in refused.err
    assert "--fresh" in refused.err


def test_without_a_url_the_latest_crawl_goes_on(server: PageServer, command: Command) -> None:
    with PageServer() as other:
        other.page("/", "other")
        server.page("/", '<a href="/1">1</a><a href="/2">2</a>')
        server.pages |= {"/1": answer(b"1"), "/2": answer(b"2")}
        command.run("crawl", other.url(), "--allow-private")
        command.run("crawl", server.url(), "--allow-private", "--max-pages", 1)
        assert server.targets() == ["/"]
        summary = command.run("crawl", "--allow-private", "--json").summary
        assert (summary["resumed"], summary["finished"], summary["records"]) == (True, True, 3)
        assert sorted(server.targets()) == ["/", "/1", "/2"]
        assert other.targets() == ["/"]
        assert Path(summary["state"]).name.startswith(f"127.0.0.1-{server.port}-")


def test_crawls_lists_them(server: PageServer, command: Command) -> None:
    assert "no crawl in" in command.run("crawls").out
    server.page("/", '<a href="/1">1</a>')
    command.run("crawl", server.url(), "--allow-private", "--max-pages", 1)
    shown = command.run("crawls").out
    assert "to be resumed" in shown
    assert f"127.0.0.1-{server.port}" in shown
    rows = command.run("crawls", "--json").out.splitlines()
    assert len(rows) == 1
    assert '"pages":1,"records":1,"pending":1,"dead":0' in rows[0]
