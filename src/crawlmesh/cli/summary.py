"""What a crawl came to, for people and for machines."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from crawlmesh.cli.words import filter_in_words, in_bytes, in_time
from crawlmesh.model.crawl import CrawlProgress, FilterStatus
from crawlmesh.model.link import LinkState
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.rules.scope import RULE_SENTENCES
from crawlmesh.worker.preparation import Prepared

if TYPE_CHECKING:
    from crawlmesh.cli.crawl_run import CrawlOrder


class StoppedBy(StrEnum):
    """Why a crawl ended before nothing was left."""

    INTERRUPT = "interrupt"
    MAX_TIME = "max_time"
    MAX_PAGES = "max_pages"


class CrawlSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The end of one run. Counters are those of the whole crawl; `seconds` and `new_pages` of this run."""

    crawl_id: str
    state: str
    output: str
    resumed: bool
    finished: bool
    stopped_by: StoppedBy | None
    seconds: float
    new_pages: int
    pages_per_second: float
    pages: int
    records: int
    pending: int
    dead: int
    skipped: int
    retries: int
    bytes: int
    by_status: dict[str, int]
    by_outcome: dict[str, int]
    by_reason: dict[str, int]
    by_rule: dict[str, int]
    filter: FilterStatus | None
    dead_seeds: list[str]


async def summarize(
    store: CrawlStore,
    prepared: Prepared,
    order: "CrawlOrder",
    output: Path,
    stopped_by: StoppedBy | None,
    seconds: float,
) -> CrawlSummary:
    """Gather the summary from the store."""
    progress = await store.progress(prepared.crawl.id)
    new_pages = progress.pages - prepared.before.pages
    reached = not progress.finished and prepared.crawl.max_pages is not None
    return CrawlSummary(
        crawl_id=prepared.crawl.id,
        state=str(order.state),
        output=str(output),
        resumed=prepared.resumed,
        finished=progress.finished,
        stopped_by=stopped_by or (StoppedBy.MAX_PAGES if reached else None),
        seconds=round(seconds, 3),
        new_pages=new_pages,
        pages_per_second=round(new_pages / seconds, 1) if seconds else 0.0,
        pages=progress.pages,
        records=progress.records,
        pending=progress.pending,
        dead=progress.dead,
        skipped=progress.skipped,
        retries=progress.retries,
        bytes=progress.bytes,
        by_status=progress.by_status,
        by_outcome=progress.by_outcome,
        by_reason=progress.by_reason,
        by_rule=progress.by_rule,
        filter=progress.filter,
        dead_seeds=await _dead_seeds(store, prepared, progress),
    )


async def _dead_seeds(store: CrawlStore, prepared: Prepared, progress: CrawlProgress) -> list[str]:
    """Why seeds brought nothing, one sentence each; asked only where there is not a single record."""
    if progress.records:
        return []
    sentences = []
    for seed in prepared.plan.seed_links():
        entry = await store.explain(prepared.crawl.id, seed.fingerprint)
        if entry is not None and entry.state in {LinkState.DEAD, LinkState.DONE}:
            sentences.append(
                f"{entry.url}: {why_nothing(entry.reason or entry.outcome or 'nothing came of it')}"
            )
    return sentences


_NOTHING = {
    "dns": "its name does not resolve; check the spelling and the network.",
    "connect": "no connection could be made; check the address and that the server runs.",
    "connect_timeout": "no connection was made in time; check the address and that the server runs.",
    "first_byte_timeout": "the server did not begin to answer in time.",
    "body_timeout": "the answer did not end in time (--timeout).",
    "tls": "its certificate was refused; --insecure goes on without the check.",
    "private_address": "it lies in a private network; --allow-private lets the crawl go there.",
    "too_large": "the page is larger than allowed (--max-body-bytes).",
    "protocol": "what came back is not HTTP, or broke off.",
    "bad_url": "the URL cannot be requested.",
    "proxy": "the proxy did not let the request through.",
    "robots": "its robots.txt forbids it; --ignore-robots goes on nevertheless.",
    "content_type": "it is neither HTML, XML, JSON nor text, so nothing can be extracted.",
    "no_sitemap": "there is no sitemap at the usual place.",
    "redirect_limit": "it redirects in a circle or too often.",
    "robots_unavailable": "its robots.txt cannot be read now; --ignore-robots goes on nevertheless.",
    "host_down": "its host did not answer any more; --retry-failed tries again.",
    "bad_redirect": "it redirects to an address that is no URL.",
}


def why_nothing(reason: str) -> str:
    """A sentence for the reason why a page yields nothing."""
    if reason.startswith("http_"):
        return f"the server answered with status {reason.removeprefix('http_')}."
    return _NOTHING.get(reason) or RULE_SENTENCES.get(reason) or f"{reason}."


def print_summary(summary: CrawlSummary, *, as_json: bool, quiet: bool) -> None:
    """Print the summary in the form that was asked for."""
    if as_json:
        click.echo(msgspec.json.encode(summary).decode())
    elif not quiet:
        _print_table(summary)
    for sentence in summary.dead_seeds:
        click.echo(f"crawlmesh: {sentence}", err=True)


def _print_table(summary: CrawlSummary) -> None:
    from rich.table import Table  # noqa: PLC0415 - slow to import, and not needed where machines read

    from crawlmesh.cli.console import table_console  # noqa: PLC0415

    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    rows = {
        "Pages": f"{summary.pages:,} ({summary.new_pages:,} in this run, {summary.pages_per_second:,}/s)",
        "Records": f"{summary.records:,}",
        "Downloaded": in_bytes(summary.bytes),
        "Status": _counts(summary.by_status),
        "Dead links": f"{summary.dead:,}{_detail(summary.by_reason)}",
        "Skipped": f"{summary.skipped:,}{_detail(summary.by_rule)}",
        "Retries": f"{summary.retries:,}",
        **({"Filter": filter_in_words(summary.filter)} if summary.filter else {}),
        "Time": in_time(summary.seconds),
        "Written to": summary.output,
        "State": summary.state,
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console = table_console()
    console.print(_headline(summary), style="bold")
    console.print(table)


def _headline(summary: CrawlSummary) -> str:
    if summary.stopped_by is StoppedBy.INTERRUPT:
        return f"Interrupted with {summary.pending:,} links to go. The same command goes on from here."
    if summary.stopped_by is not None:
        flag = "--" + summary.stopped_by.replace("_", "-")
        return f"Stopped by {flag} with {summary.pending:,} links to go. Run again with more to go on."
    if summary.resumed and not summary.seconds:
        return "Nothing was left to do. --recrawl visits all pages again, --fresh starts over."
    return "Finished."


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{key}: {number:,}" for key, number in sorted(counts.items())) or "none"


def _detail(counts: dict[str, int]) -> str:
    return f" ({_counts(counts)})" if counts else ""
