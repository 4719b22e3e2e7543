"""One crawl, started again and again by the same command, and what must be true of it in the end."""

import json
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import msgspec

from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import AccessLog, Manifest, ManifestEntry, PageKind
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from crawlmesh.testing.manual_clock import ManualClock
from tests.chaos.moments import Seen, wait_for
from tests.chaos.served_site import ServedSite

SELECTIONS = ("product=div.product", "title=h2.title", "price=span.price", "heading=h1")
PER_HOST = 3
_LATE = 0.4  # seconds by which one request may come late, and the next one on time, where a machine is busy
_IN_A_ROW = 3  # requests over which lateness no longer counts for much
_REPEATED_ANYWAY = {PageKind.FAILS_ONCE, PageKind.FAILS_ALWAYS, PageKind.REDIRECT, PageKind.ROBOTS}


class CrawlUnderFire:
    """The command, the folder of its state, and how often it was killed."""

    def __init__(
        self, folder: Path, site: ServedSite, processes: int, kills: Counter[str] | None = None
    ) -> None:
        self.site = site
        self.state = folder / "state"
        self.output = folder / "records.jsonl"
        self.kills = Counter[str]() if kills is None else kills  # by kind
        folder.mkdir(exist_ok=True)
        self._processes = processes
        # Short batches: a run that lives for a few requests must have something to lose and to keep.
        self._command = Command(folder, settle_after="0.3", retry_base="0.1")

    @contextmanager
    def run(self, *more: object, **settings: str) -> Iterator[subprocess.Popen[str]]:
        """The command while it runs."""
        arguments: list[object] = ["crawl", self.site.manifest.portal_url, "--allow-private", *more]
        arguments += ["--state", self.state, "--output", self.output, "--json", "--quiet"]
        arguments += ["--per-host", PER_HOST, "--processes", self._processes]
        for host in self.site.other_hosts:
            arguments += ["--allow-host", host]
        for selection in SELECTIONS:
            arguments += ["--select", selection]
        with self._command.started(*arguments, **settings) as process:
            yield process

    def kill_at(self, kind: str, moment: Callable[[subprocess.Popen[str]], Seen]) -> bool:
        """Run until the moment comes and kill. False where the crawl ended by itself before."""
        with self.run() as process:
            if wait_for(moment(process), process):
                process.kill()
            _, err = process.communicate()
        assert "Traceback" not in err, err
        if process.returncode == -signal.SIGKILL:
            self.kills[kind] += 1
            return True
        assert (process.returncode, err) == (0, ""), err
        return False

    def finish(self) -> dict[str, Any]:
        """Let it run to its end by itself."""
        with self.run() as process:
            out, err = process.communicate()
        assert (process.returncode, err) == (0, ""), err
        summary: dict[str, Any] = json.loads(out)
        assert summary["finished"]
        return summary

    async def check(self) -> str:
        """Compare with the manifest and the server's log. Returns the numbers, for people."""
        manifest = self.site.manifest
        records = check_records(self.output, manifest, manifest.expected_records(tracking_ignored=False))
        log = self.site.log()
        check_politeness(log, manifest, self.site.delayed_host)
        await self._check_store(len(records))
        again = _fetched_again(log, manifest)
        return (
            f"{self.kills.total()} kills so far "
            f"({', '.join(f'{kind} {number}' for kind, number in self.kills.items())}), "
            f"{len(log.requests())} requests, {again} of them for pages that were fetched before, "
            f"{len(records)} records, 0 missing, 0 duplicate"
        )

    async def _check_store(self, records: int) -> None:
        store = await SqliteCrawlStore.open(self.state / "crawl.db", ManualClock())
        try:
            (crawl,) = await store.crawls()
            await assert_crawl_invariants(store, crawl.id)
            progress = await store.progress(crawl.id)
            assert progress.finished
            assert len(await read_all_records(store, crawl.id)) == progress.records == records
        finally:
            await store.aclose()


def check_records(output: Path, manifest: Manifest, expected: set[str]) -> list[dict[str, Any]]:
    """The file has exactly one record for each expected page, with the data of that page."""
    records = [msgspec.json.decode(line) for line in output.read_bytes().splitlines()]
    counts = Counter(record["url"] for record in records)
    assert [url for url, count in counts.items() if count > 1] == [], "duplicate records"
    assert expected - counts.keys() == set(), "missing records"
    assert counts.keys() - expected == set(), "records of pages that must not be there"
    for record in records:
        check_data(record, manifest.entries[record["url"]])
    return records


def check_data(record: dict[str, Any], entry: ManifestEntry) -> None:
    """The record says what the page says."""
    data = record["data"]
    products = data.get("products", [])
    listed = [(item["title"], item["price"], urljoin(entry.url, item["url"])) for item in products]
    assert listed == [(product.title, product.price, product.url) for product in entry.products], entry.url
    assert data["heading"] == entry.title, entry.url
    assert record["status"] == entry.status
    assert record["final_url"] == entry.url


def check_politeness(log: AccessLog, manifest: Manifest, delayed_host: str) -> None:
    """robots.txt, delays and concurrency were respected all along, by the server's own log."""
    assert log.disallowed_requests(manifest) == []
    assert {request.start.host for request in log.requests()} <= set(manifest.hosts)
    check_gaps(log, delayed_host, manifest.options.crawl_delay)
    for host in manifest.hosts:
        assert log.max_concurrency(host) <= PER_HOST, f"{host} had more requests at once than allowed"


def check_gaps(log: AccessLog, host: str, delay: float) -> None:
    """The delay of a host lies between two requests, and still more so over some in a row."""
    for over in (1, _IN_A_ROW):
        gap = log.min_gap(host, over=over)
        assert gap is not None
        assert gap >= over * delay - _LATE, (
            f"{gap} s for {over} further requests to {host}, each after {delay} s"
        )


def _fetched_again(log: AccessLog, manifest: Manifest) -> int:
    counts = log.fetch_counts(tracking_ignored=False)
    pages = {url: count for url, count in counts.items() if url in manifest.entries}
    return sum(
        count - 1 for url, count in pages.items() if manifest.entries[url].kind not in _REPEATED_ANYWAY
    )
