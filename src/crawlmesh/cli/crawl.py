"""`crawlmesh crawl`: take a site."""

import re
from pathlib import Path
from typing import Any

import click

from crawlmesh.cli.addresses import with_scheme
from crawlmesh.cli.crawl_run import CrawlOrder, crawl_and_tell
from crawlmesh.cli.extraction_options import extraction_from
from crawlmesh.cli.options import config_options, request_options, selector_options, setting_flags
from crawlmesh.cli.state_folders import existing_state, state_path
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.errors import UsageError
from crawlmesh.rules.spider_traps import TrapLimits
from crawlmesh.settings import Settings, load_settings
from crawlmesh.wiring import check_output_path, fetch_options
from crawlmesh.worker.preparation import Start

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


class Duration(click.ParamType[float, Any]):
    """Seconds, or a number with s, m, h or d behind it."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read a duration."""
        found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", str(value))
        if not found or float(found[1]) <= 0:
            self.fail(f"{value!r} is not a duration: give seconds, or 30s, 10m, 2h, 1d.", param, ctx)
        return float(found[1]) * _UNITS[found[2]]


def _whole_number(least: int) -> click.IntRange:
    return click.IntRange(min=least)


@click.command()
@click.argument("urls", nargs=-1, metavar="URL...")
@click.option("--depth", type=_whole_number(0), metavar="N", help="Clicks away from the start at most.")
@click.option("--max-pages", type=_whole_number(1), metavar="N", help="Stop after this many pages.")
@click.option("--max-time", type=Duration(), metavar="TIME", help="Stop after 90 (seconds), 10m, 2h …")
@click.option(
    "--scope",
    type=click.Choice(["host", "domain", "any"]),
    default="host",
    show_default=True,
    help="Follow links to the hosts of the start URLs, to their domains, or to any host.",
)
@click.option("--allow-host", "allow_hosts", multiple=True, metavar="HOST", help="Also follow. Repeatable.")
@click.option("--include", multiple=True, metavar="REGEX", help="Follow only URLs that match. Repeatable.")
@click.option("--exclude", multiple=True, metavar="REGEX", help="Never follow URLs that match. Repeatable.")
@selector_options()
@click.option("--rate", type=float, metavar="N", help="Requests per second over all hosts.")
@click.option("--concurrency", type=int, metavar="N", help="Requests at once in one process. [default: 64]")
@click.option("--per-host", type=int, metavar="N", help="Requests at once to one host. [default: 4]")
@click.option("--delay", type=float, metavar="SECONDS", help="Between two requests to one host. [default: 0]")
@click.option("--processes", type=int, metavar="N", help="Processes side by side. [default: 1]")
@click.option("--retries", type=_whole_number(0), metavar="N", help="Further tries for a URL. [default: 3]")
@click.option(
    "--dedup",
    type=click.Choice(["exact", "bloom"]),
    help="How known links are recognised; a Bloom filter saves memory and may err. [default: exact]",
)
@click.option(
    "--dedup-capacity", type=int, metavar="N", help="Links that the filter is made for. [default: 1000000]"
)
@click.option(
    "--dedup-error-rate", type=float, metavar="SHARE", help="Of new links that are missed. [default: 0.0001]"
)
@request_options()
@click.option("--ignore-robots", is_flag=True, help="Do not read robots.txt.")
@click.option("--sitemaps", is_flag=True, help="Also start from the sites' sitemaps.")
@click.option(
    "--state", type=click.Path(path_type=Path), metavar="DIR", help="Folder for the state of this crawl."
)
@click.option("--fresh", is_flag=True, help="Forget what was done before and start over.")
@click.option("--retry-failed", is_flag=True, help="Take only the dead links again.")
@click.option(
    "--recrawl", is_flag=True, help="Visit all known pages again; unchanged ones are not sent again."
)
@click.option("--archive", is_flag=True, help="Keep whole pages, for `crawlmesh extract` and WARC output.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the records go: .jsonl, .csv, .parquet or .warc.gz. [default: records.jsonl in the state]",
)
@click.option("--json", "as_json", is_flag=True, help="Print a machine-readable summary.")
@click.option("--quiet", is_flag=True, help="Print nothing but errors (and the summary with --json).")
@click.option("--strict", is_flag=True, help="Exit with 1 where links are dead at the end.")
@config_options()
def crawl(**options: Any) -> int:
    """Crawl from the URLs until nothing is left, and write what the pages yield.

    Stopped or killed, the same command goes on where it was. Without a URL it goes on with the latest
    crawl, or with the one in --state.
    """
    _refuse_contradictions(options)
    settings = _settings(options)
    definition = _definition(options, settings)
    output: Path | None = options["output"]
    if output is not None:
        check_output_path(output)
    if definition is not None:
        CrawlPlan("check", definition)  # refuses what cannot be crawled before anything is touched
    fetch_options(settings)
    if definition is None:
        state = existing_state(settings, options["state"])
    else:
        state = options["state"] or state_path(settings, definition)
    order = CrawlOrder(
        settings=settings,
        definition=definition,
        state=state,
        output=output,
        start=_start(options),
        fresh=options["fresh"],
        max_pages=options["max_pages"],
        max_time=options["max_time"],
        as_json=options["as_json"],
        quiet=options["quiet"],
        strict=options["strict"],
    )
    return crawl_and_tell(order)


def _refuse_contradictions(options: dict[str, Any]) -> None:
    chosen = [name for name in ("fresh", "retry_failed", "recrawl") if options[name]]
    if len(chosen) > 1:
        flags = " and ".join("--" + name.replace("_", "-") for name in chosen)
        raise UsageError(f"{flags} exclude each other; give one of them.")
    if options["fresh"] and not options["urls"]:
        raise UsageError("--fresh starts a crawl over and needs its URLs.")


def _start(options: dict[str, Any]) -> Start:
    if options["retry_failed"]:
        return Start.RETRY_FAILED
    return Start.RECRAWL if options["recrawl"] else Start.RESUME


def _settings(options: dict[str, Any]) -> Settings:
    names = (
        "data_dir", "rate", "concurrency", "per_host", "delay", "processes", "user_agent", "headers",
        "cookies", "proxy", "allow_private_networks", "insecure", "total_timeout", "max_body_bytes",
        "dedup", "dedup_capacity", "dedup_error_rate",
    )  # fmt: skip
    flags = setting_flags(**{name: options[name] for name in names})
    if options["retries"] is not None:
        flags["max_attempts"] = options["retries"] + 1
    return load_settings(flags, options["config"])


def _definition(options: dict[str, Any], settings: Settings) -> CrawlDefinition | None:
    if not options["urls"]:
        return None
    extraction, metadata = extraction_from(options["selections"], options["spec_file"], options["metadata"])
    output: Path | None = options["output"]
    return CrawlDefinition(
        seeds=tuple(with_scheme(url) for url in options["urls"]),
        scope=options["scope"],
        allow_hosts=options["allow_hosts"],
        include=options["include"],
        exclude=options["exclude"],
        depth=options["depth"],
        extraction=extraction,
        metadata=metadata,
        ignored_parameters=settings.tracking_parameters,
        ignore_robots=options["ignore_robots"],
        sitemaps=options["sitemaps"],
        archive=options["archive"] or (output is not None and output.name.endswith(".warc.gz")),
        traps=TrapLimits(
            path_length=settings.max_path_length,
            repeated_segments=settings.max_repeated_segments,
            pages_per_template=settings.max_pages_per_template,
        ),
    )
