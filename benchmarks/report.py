"""The table: medians over the rounds, with ratios to Scrapy and to the bare loop."""

import json
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.line_up import BARE_LOOP, SCRAPY, Competitor
from benchmarks.trial import Trial

HEADINGS = (
    *("competitor", "pages/s", "active pages/s", "wall s", "CPU s", "CPU ms/page", "peak RSS MB"),
    *(
        "missing",
        "duplicates",
        "records",
        "steal %",
        "Scrapy wall ratio",
        "Scrapy CPU ratio",
        "bare wall ratio",
        "bare CPU ratio",
    ),
)


@dataclass(frozen=True)
class Row:
    """The medians of one competitor."""

    description: str
    trials: Sequence[Trial]

    def median(self, value: Callable[[Trial], float]) -> float:
        return statistics.median(value(trial) for trial in self.trials)

    @property
    def pages_per_second(self) -> float:
        return self.median(lambda trial: trial.pages_per_second)

    @property
    def cpu_milliseconds_per_page(self) -> float:
        return self.median(lambda trial: trial.cpu_milliseconds_per_page)


def build_rows(competitors: Sequence[Competitor], trials: Sequence[Trial]) -> dict[str, Row]:
    """Rows by competitor's name, in the order of the line-up."""
    rows: dict[str, Row] = {}
    for competitor in competitors:
        own = [trial for trial in trials if trial.name == competitor.name]
        if own:
            rows[competitor.name] = Row(competitor.description, own)
    return rows


def markdown_table(rows: dict[str, Row]) -> str:
    lines = [_line(HEADINGS), _line(("---",) + ("--:",) * (len(HEADINGS) - 1))]
    lines += [_line(_cells(row, rows.get(SCRAPY), rows.get(BARE_LOOP))) for row in rows.values()]
    return "\n".join(lines)


def _cells(row: Row, scrapy: Row | None, bare: Row | None) -> tuple[str, ...]:
    failed = any(trial.usage.exit_code for trial in row.trials)
    return (
        row.description + (" — **failed**" if failed else ""),
        f"{row.pages_per_second:,.0f}",
        f"{row.median(lambda trial: trial.active_pages_per_second):,.0f}",
        f"{row.median(lambda trial: trial.usage.wall_seconds):.2f}",
        f"{row.median(lambda trial: trial.usage.cpu_seconds):.2f}",
        f"{row.cpu_milliseconds_per_page:.2f}",
        f"{row.median(lambda trial: trial.usage.peak_rss_bytes) / 1e6:,.0f}",
        f"{max(trial.server.missing for trial in row.trials):,}",
        f"{max(trial.server.duplicates for trial in row.trials):,}",
        f"{min(trial.records for trial in row.trials):,}",
        f"{row.median(lambda trial: trial.usage.steal_share) * 100:.0f}",
        *_ratios(row, scrapy),
        *_ratios(row, bare),
    )


def _ratios(row: Row, base: Row | None) -> tuple[str, str]:
    """How many times as good as the base, by wall pages/s and by CPU per page; above 1 is better."""
    if base is None or not base.pages_per_second or not row.cpu_milliseconds_per_page:
        return "", ""
    wall = row.pages_per_second / base.pages_per_second
    cpu = base.cpu_milliseconds_per_page / row.cpu_milliseconds_per_page
    return f"{wall:.2f}", f"{cpu:.2f}"


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def write_report(folder: Path, text: str, facts: dict[str, Any], trials: Sequence[Trial]) -> Path:
    """Write the markdown, and all trials as JSON beside it."""
    target = folder / "crawl-results.md"
    target.write_text(text)
    content = {"facts": facts, "trials": [trial.as_json() for trial in trials]}
    target.with_suffix(".json").write_text(json.dumps(content, indent=2) + "\n")
    return target
