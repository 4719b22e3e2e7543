"""One crawl of the whole demo site, for many tests to look at."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawlmesh.testing.command import Command, FinishedCommand
from crawlmesh.testing.demo_site import DemoSite

SELECTIONS = ("product=div.product", "title=h2.title", "price=span.price", "heading=h1")


def selecting(*selections: str) -> list[str]:
    """The arguments that extract these fields; those of S2 and the heading where none are named."""
    return [part for selection in selections or SELECTIONS for part in ("--select", selection)]


def everywhere(site: DemoSite) -> list[str]:
    """The arguments of a crawl of all hosts of a site."""
    allowed = [part for host in site.hosts[1:] for part in ("--allow-host", host)]
    return [site.portal_url, "--allow-private", *allowed]


def read_records(path: Path) -> list[dict[str, Any]]:
    """The lines of a JSONL file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def urls_of(path: Path) -> set[str]:
    """The URLs that have a record; none has two."""
    urls = [record["url"] for record in read_records(path)]
    assert len(urls) == len(set(urls))
    return set(urls)


def mean_gap(site: DemoSite, host: str) -> float:
    """Seconds between two requests for pages of a host, on average.

    The server may note a request a little late and the next one on time; on average that is nothing.
    """
    starts = [request.start for request in site.log.requests(host)]
    pages = [start.monotonic for start in starts if start.target != "/robots.txt"]
    return (pages[-1] - pages[0]) / (len(pages) - 1)


@dataclass(frozen=True)
class FullCrawl:
    """A finished crawl with all pages archived."""

    arguments: list[str]
    folder: Path
    finished: FinishedCommand
    disallowed_requests: int
    mean_gap: float  # between two requests to the delayed shop, seconds
    most_at_once: int  # requests to one host

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def records(self) -> list[dict[str, Any]]:
        return read_records(self.folder / "records.jsonl")

    def copy_to(self, folder: Path) -> Path:
        """A copy of the state, to go on with."""
        return Path(shutil.copytree(self.state, folder / "state"))


def crawl_fully(site: DemoSite, folder: Path) -> FullCrawl:
    """Crawl everything there is."""
    arguments = [*everywhere(site), *selecting(), "--archive"]
    command = Command(folder, retry_base="0.01")
    site.log.clear()
    finished = command.run(
        "crawl", *arguments, "--state", "state", "--output", "records.jsonl", "--json", "--per-host", 3
    )
    log = site.log
    disallowed = len(log.disallowed_requests(site.manifest))
    most = max(log.max_concurrency(host) for host in site.hosts)
    return FullCrawl(arguments, folder, finished, disallowed, mean_gap(site, site.hosts[2]), most)
