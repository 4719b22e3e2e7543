import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.cli.crawl_run import CrawlOrder
from crawlmesh.cli.summary import CrawlSummary, StoppedBy, print_summary, summarize
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.model.crawl import FilterStatus
from crawlmesh.settings import load_settings
from crawlmesh.testing.builders import all_fetched, dead, lease_request, settlement, skipped
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.worker.preparation import CrawlLimits, Prepared, Start, prepare

DEFINITION = CrawlDefinition(seeds=("https://a.example/", "https://b.example/"))
SUMMARY = CrawlSummary(
    crawl_id="one", state="state", output="out.jsonl", resumed=False, finished=True, stopped_by=None,
    seconds=2.0, new_pages=1_200, pages_per_second=600.0, pages=1_200, records=1_100, pending=0, dead=3,
    skipped=2, retries=4, bytes=20_000_000, by_status={"404": 3, "200": 1_200}, by_outcome={"fetched": 1_200},
    by_reason={"http_404": 3}, by_rule={"depth": 2}, filter=None, dead_seeds=[],
)  # fmt: skip


def _printed(
    capsys: pytest.CaptureFixture[str], *, as_json: bool = False, quiet: bool = False, **fields: Any
) -> str:
    print_summary(msgspec.structs.replace(SUMMARY, **fields), as_json=as_json, quiet=quiet)
    return capsys.readouterr().out


def test_the_summary_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    text = _printed(capsys)
    assert text.startswith("Finished.")
    for part in (
        "1,200 (1,200 in this run, 600.0/s)",
        "20.0 MB",
        "200: 1,200, 404: 3",
        "3 (http_404: 3)",
        "out.jsonl",
    ):
        assert part in text


def test_the_summary_shows_the_filter_where_there_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Filter" not in _printed(capsys)
    text = _printed(capsys, filter=FilterStatus(1_000, 930, 2, 3_100, 0.00005))
    assert "93% full, will grow (930 of 1,000 links, 2 layers, 3.1 kB, 0.0050% errors)" in " ".join(
        text.split()
    )


@pytest.mark.parametrize(
    ("fields", "headline"),
    [
        (
            {"stopped_by": StoppedBy.INTERRUPT, "pending": 5},
            "Interrupted with 5 links to go. The same command",
        ),
        ({"stopped_by": StoppedBy.MAX_PAGES, "pending": 5}, "Stopped by --max-pages with 5 links to go."),
        ({"stopped_by": StoppedBy.MAX_TIME, "pending": 5}, "Stopped by --max-time with 5 links to go."),
        ({"resumed": True, "seconds": 0.0}, "Nothing was left to do. --recrawl"),
        ({"resumed": True}, "Finished."),
    ],
)
def test_the_headline(capsys: pytest.CaptureFixture[str], fields: dict[str, Any], headline: str) -> None:
    assert _printed(capsys, **fields).startswith(headline)


def test_the_summary_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    summary = json.loads(_printed(capsys, as_json=True, quiet=True, stopped_by=StoppedBy.MAX_TIME))
    assert set(summary) == set(CrawlSummary.__struct_fields__)
    assert (summary["pages"], summary["stopped_by"]) == (1_200, "max_time")


def test_quiet_prints_only_what_went_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(
        msgspec.structs.replace(SUMMARY, dead_seeds=["https://a.example/: gone."]), as_json=False, quiet=True
    )
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "crawlmesh: https://a.example/: gone.\n"


class Crawled:
    """A crawl in memory that is summed up."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.store = MemoryCrawlStore(self.clock)

    async def prepare(self, **limits: Any) -> Prepared:
        return await prepare(self.store, self.clock, "one", DEFINITION, CrawlLimits(**limits), Start.RESUME)

    async def summary(self, prepared: Prepared, stopped_by: StoppedBy | None = None) -> CrawlSummary:
        order = CrawlOrder(
            settings=load_settings({}),
            definition=DEFINITION,
            state=Path("state"),
            output=None,
            start=Start.RESUME,
        )
        return await summarize(self.store, prepared, order, Path("out.jsonl"), stopped_by, 2.0)


async def test_a_run_counts_its_own_pages() -> None:
    crawled = Crawled()
    await crawled.prepare()
    first, second = (await crawled.store.lease(lease_request("one"))).batches
    await crawled.store.settle([all_fetched(first)])
    again = await crawled.prepare()
    (second,) = (await crawled.store.lease(lease_request("one"))).batches
    await crawled.store.settle([all_fetched(second)])
    summary = await crawled.summary(again)
    assert (summary.pages, summary.new_pages, summary.pages_per_second) == (2, 1, 0.5)
    assert (summary.finished, summary.resumed, summary.stopped_by) == (True, True, None)
    assert summary.dead_seeds == []


async def test_seeds_that_brought_nothing_are_explained() -> None:
    crawled = Crawled()
    prepared = await crawled.prepare()
    first, second = (await crawled.store.lease(lease_request("one"))).batches
    await crawled.store.settle(
        [settlement(first, dead(first.links[0], "dns")), settlement(second, skipped(second.links[0]))]
    )
    summary = await crawled.summary(prepared)
    assert summary.dead_seeds == [
        "https://a.example/: its name does not resolve; check the spelling and the network.",
        "https://b.example/: its robots.txt forbids it; --ignore-robots goes on nevertheless.",
    ]


async def test_a_limit_that_was_reached_is_named() -> None:
    crawled = Crawled()
    prepared = await crawled.prepare(max_pages=1)
    (batch,) = (await crawled.store.lease(lease_request("one"))).batches
    await crawled.store.settle([all_fetched(batch)])
    assert (await crawled.summary(prepared)).stopped_by is StoppedBy.MAX_PAGES
    assert (await crawled.summary(prepared, StoppedBy.INTERRUPT)).stopped_by is StoppedBy.INTERRUPT
