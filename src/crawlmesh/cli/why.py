"""`crawlmesh why`: what became of a URL."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec

from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.opened_crawl import opened_crawl
from crawlmesh.cli.options import config_options, setting_flags, state_option
from crawlmesh.cli.state_folders import existing_state
from crawlmesh.cli.summary import why_nothing
from crawlmesh.errors import UrlError
from crawlmesh.model.link import LinkState
from crawlmesh.model.record import Attempt, LedgerEntry
from crawlmesh.rules.scope import RULE_SENTENCES
from crawlmesh.rules.url_identity import ParameterFilter, canonicalize
from crawlmesh.settings import load_settings


@click.command()
@click.argument("url")
@click.option("--json", "as_json", is_flag=True, help="Print the entry as JSON.")
@state_option()
@config_options()
def why(url: str, as_json: bool, state: Path | None, config: Path | None, data_dir: Path | None) -> int:
    """Say where a URL of a crawl was found, whether it was fetched, or which rule kept it out."""
    settings = load_settings(setting_flags(data_dir=data_dir), config)
    entry = asyncio.run(_look_up(existing_state(settings, state), url))
    if as_json:
        click.echo(msgspec.json.encode(entry).decode())
    else:
        for line in ledger_lines(url, entry):
            click.echo(line)
    return ExitCode.DONE if entry else ExitCode.FAILED


async def _look_up(state: Path, url: str) -> LedgerEntry | None:
    async with opened_crawl(state) as opened:
        canonical = canonicalize(url, None, ParameterFilter(opened.definition.ignored_parameters))
        if canonical is None:
            raise UrlError(f"{url!r} is not a URL that can be crawled. Give the whole address.")
        return await opened.store.explain(opened.crawl.id, canonical.fingerprint)


def ledger_lines(url: str, entry: LedgerEntry | None) -> list[str]:
    """The ledger of a URL in sentences."""
    if entry is None:
        return [f"{url} was never seen: no page that was fetched links to it."]
    lines = [entry.url, _found(entry)]
    if entry.state is None:
        lines.append(f"Skipped by the rule {entry.rule}: {RULE_SENTENCES.get(entry.rule or '', '')}")
        return lines
    lines.extend(f"Redirected from {source}" for source in entry.redirected_from)
    lines.extend(_attempt(attempt) for attempt in entry.attempts)
    lines.append(_standing(entry))
    return lines


def _found(entry: LedgerEntry) -> str:
    how = {"seed": "Given as a start URL", "sitemap": "Found in a sitemap", "redirect": "Found by a redirect"}
    text = how.get(entry.found_by or "", "Found by a link")
    return f"{text}{f' on {entry.parent_url}' if entry.parent_url else ''}, depth {entry.depth}."


def _attempt(attempt: Attempt) -> str:
    when = datetime.fromtimestamp(attempt.at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    status = f"status {attempt.http_status}, " if attempt.http_status else ""
    reason = f" ({attempt.reason})" if attempt.reason else ""
    elapsed = f"after {attempt.elapsed * 1000:.0f} ms"
    return f"Attempt {attempt.number}, {when}: {status}{attempt.kind}{reason} {elapsed}."


def _standing(entry: LedgerEntry) -> str:
    if entry.state is LinkState.PENDING:
        return "It waits to be fetched."
    if entry.state is LinkState.LEASED:
        return "It is being fetched."
    if entry.state is LinkState.DEAD:
        return f"Dead: {why_nothing(entry.reason or '')}"
    if entry.outcome == "redirected":
        kept_out = f" That was not followed: {RULE_SENTENCES.get(entry.reason, '')}" if entry.reason else ""
        return f"Done: it redirects to {entry.final_url}.{kept_out}"
    if entry.outcome == "skipped":
        return f"Skipped by the rule {entry.reason}: {why_nothing(entry.reason or '')}"
    return "Done, with a record." if entry.has_record else "Done, without a record."
