from crawlmesh.testing.command import Command
from tests.acceptance.full_crawl import FullCrawl, read_records
from tests.acceptance.page_server import PageServer


def test_a_crawl_with_a_filter_brings_what_an_exact_one_brings(full: FullCrawl, command: Command) -> None:
    state = command.folder / "filtered"
    options = ["--dedup", "bloom", "--dedup-capacity", "50", "--dedup-error-rate", "0.000001"]
    done = command.run("crawl", *full.arguments, *options, "--state", state, "--json")
    assert {record["url"] for record in read_records(state / "records.jsonl")} == {
        record["url"] for record in full.records
    }
    status = done.summary["filter"]
    assert status["layers"] > 1
    assert status["count"] <= status["capacity"]


def test_a_crawl_goes_on_only_with_the_dedup_that_it_was_begun_with(
    server: PageServer, command: Command
) -> None:
    server.page("/", '<a href="/a">a</a>')
    server.page("/a", "here")
    crawl = ["crawl", server.url(), "--allow-private", "--json"]
    assert command.run(*crawl, "--dedup", "bloom", "--max-pages", "1").summary["pages"] == 1
    refused = command.run(*crawl, code=2)
    assert "begun with --dedup bloom, and cannot go on with exact" in refused.err
    assert command.run("crawl", "--dedup", "exact", "--allow-private", code=2).err == refused.err
    assert command.run("crawl", "--allow-private", "--json").summary["pages"] == 2
    over = command.run(*crawl, "--fresh").summary
    assert (over["pages"], over["filter"]) == (2, None)
