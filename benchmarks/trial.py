"""One trial: one competitor crawls the site once, against an nginx of its own."""

import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.access_log import ServerView, read_access_log
from benchmarks.line_up import Competitor, RunContext
from benchmarks.measurement import Usage, run_measured
from benchmarks.nginx import Nginx
from benchmarks.shop_site import Site

PROJECT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Trial:
    """What one competitor did in one round."""

    name: str
    pages: int
    usage: Usage
    server: ServerView
    records: int

    @property
    def fetched(self) -> int:
        return self.pages - self.server.missing

    @property
    def pages_per_second(self) -> float:
        return self.fetched / self.usage.wall_seconds

    @property
    def active_pages_per_second(self) -> float:
        return self.fetched / self.server.active_seconds if self.server.active_seconds else 0.0

    @property
    def cpu_milliseconds_per_page(self) -> float:
        return self.usage.cpu_seconds * 1000 / max(self.fetched, 1)

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {
            "pages_per_second": self.pages_per_second,
            "active_pages_per_second": self.active_pages_per_second,
            "cpu_milliseconds_per_page": self.cpu_milliseconds_per_page,
        }


def run_trial(
    competitor: Competitor, *, site: Site, python: str, connections: int, timeout: float, log_folder: Path
) -> Trial:
    """Run a competitor in a temporary folder. Its output is kept where it failed."""
    with tempfile.TemporaryDirectory(prefix=f"crawl-bench-{competitor.name}-") as temporary:
        folder = Path(temporary)
        output = folder / "output"
        output.mkdir()
        printed = folder / "printed.txt"
        command = competitor.command(RunContext(site, output, connections, python))
        with Nginx(site, folder / "nginx") as server:
            usage = run_measured(command, folder=PROJECT, output=printed, timeout=timeout)
        log_folder.mkdir(exist_ok=True)
        shutil.copy(printed, log_folder / f"{competitor.name}.txt")
        view = read_access_log(server.access_log, site.urls())
        return Trial(competitor.name, site.parameters.pages, usage, view, _count_records(output))


def _count_records(output: Path) -> int:
    """Lines of JSONL, or the files of a Crawlee dataset (less its metadata)."""
    lines = 0
    for file in output.glob("*.jsonl"):
        with file.open("rb") as source:
            lines += sum(1 for _ in source)
    return lines + sum(1 for file in output.glob("storage/datasets/*/*.json") if file.stem.isdigit())
