"""The documentation as text, and the few things of Markdown that the tests look at."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_FENCE = re.compile(r"^```[^\n]*\n.*?^```$", re.MULTILINE | re.DOTALL)


def page(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def all_pages() -> list[Path]:
    return sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "benchmarks").glob("*.md")])


def code_blocks(text: str) -> list[str]:
    return _FENCE.findall(text)


def prose(text: str) -> str:
    return _FENCE.sub("", text)


def headings(text: str) -> list[str]:
    return re.findall(r"^#+ .+$", prose(text), re.MULTILINE)


def table_rows(text: str) -> list[list[str]]:
    """The cells of all rows of all tables, without their heads and without backquotes."""
    lines = [line for line in prose(text).splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in line.strip("|").split("|")] for line in lines]
