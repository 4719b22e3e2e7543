import csv
import gzip
import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as parquet  # type: ignore[import-untyped]
import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions
from tests.acceptance.full_crawl import FullCrawl, everywhere, read_records, selecting, urls_of
from tests.acceptance.page_server import PageServer


def test_csv(full: FullCrawl, command: Command) -> None:
    done = command.run("export", "--state", full.state, "--output", "o.csv")
    assert done.out == f"{len(full.records):,} records written to o.csv\n"
    with (command.folder / "o.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[:5] == ["url", "final_url", "status", "depth", "fetched_at"]
    for row, record in zip(rows, full.records, strict=True):
        assert (row["url"], row["status"], row["depth"]) == (record["url"], "200", str(record["depth"]))
        assert row["data.heading"] == (record["data"]["heading"] or "")
        assert json.loads(row["data.products"] or "[]") == record["data"].get("products", [])


def test_parquet(full: FullCrawl, command: Command) -> None:
    command.run("export", "--state", full.state, "--output", "o.parquet")
    rows = parquet.read_table(command.folder / "o.parquet").to_pylist()
    assert [row["url"] for row in rows] == [record["url"] for record in full.records]
    assert list(rows[0])[:5] == ["url", "final_url", "status", "depth", "fetched_at"]
    for row, record in zip(rows, full.records, strict=True):
        assert (row["status"], row["depth"]) == (200, record["depth"])
        assert row["data.heading"] == record["data"]["heading"]
        assert (row["data.products"] or []) == record["data"].get("products", [])


def test_compressed_lines(full: FullCrawl, command: Command) -> None:
    command.run("export", "--state", full.state, "--output", "deep/er/o.jsonl.gz")
    lines = gzip.decompress((command.folder / "deep/er/o.jsonl.gz").read_bytes()).splitlines()
    assert [json.loads(line) for line in lines] == full.records


def test_warc(full: FullCrawl, command: Command) -> None:
    command.run("export", "--state", full.state, "--output", "o.warc.gz")
    _check_warc(command.folder / "o.warc.gz", {record["url"] for record in full.records})


def _check_warc(path: Path, expected: set[str]) -> None:
    checker = Path(sys.executable).with_name("warcio")
    checked = subprocess.run([checker, "check", path], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
    with path.open("rb") as file:
        records = ArchiveIterator(file)
        urls = [
            record.rec_headers.get_header("WARC-Target-URI")
            for record in records
            if record.rec_type == "response"
        ]
    assert len(urls) == len(set(urls))
    assert set(urls) == expected


@pytest.mark.parametrize("name", ["o.csv", "o.parquet", "o.warc.gz", "o.ndjson"])
def test_a_crawl_writes_any_format_itself(server: PageServer, command: Command, name: str) -> None:
    server.page("/", "<h1>Héllo</h1>")
    command.run("crawl", server.url(), "--allow-private", "--select", "h=h1", "--output", name)
    path = command.folder / name
    if name == "o.warc.gz":
        _check_warc(path, {server.url()})
    elif name == "o.parquet":
        assert parquet.read_table(path).num_rows == 1
    else:
        assert "Héllo" in path.read_text("utf-8")


def test_extract_works_without_the_network(command: Command) -> None:
    with DemoSite(DemoSiteOptions(shops=1, products=4, crawl_delay=0, curiosities=False)) as site:
        command.run("crawl", *everywhere(site), "--archive", "--state", "state")
    command.run("extract", "--state", "state", *selecting(), "--output", "o.jsonl")
    assert urls_of(command.folder / "o.jsonl") == site.manifest.expected_records()
    for record in read_records(command.folder / "o.jsonl"):
        entry = site.manifest.entries[record["url"]]
        titles = [product["title"] for product in record["data"].get("products", [])]
        assert titles == [product.title for product in entry.products]
        assert record["data"]["heading"] == entry.title


def test_extract_needs_an_archive(server: PageServer, command: Command) -> None:
    server.page("/", "x")
    command.run("crawl", server.url(), "--allow-private", "--state", "state")
    done = command.run("extract", "--state", "state", *selecting(), "--output", "o.jsonl", code=2)
    assert "--archive" in done.err
    done = command.run("export", "--state", "state", "--output", "o.warc.gz", code=2)
    assert "--archive" in done.err
    assert list(command.folder.glob("o.*")) == []
