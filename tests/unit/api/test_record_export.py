import asyncio
import csv
import io
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

from crawlmesh.adapters.files import FileRecordExport
from crawlmesh.api.v1.record_export import file_name
from crawlmesh.errors import OutputError
from crawlmesh.ports.record_writer import RecordWriter
from crawlmesh.testing.builders import crawl, fetched, lease_request, new_links, settlement
from tests.unit.api.client import Client
from tests.unit.api.master import Master

PAGES = 1_201  # more than are read at once
FORMATS = {
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
async def master() -> Master:
    return await Master.start(record_export=FileRecordExport())


async def crawled(master: Master, pages: int = PAGES) -> str:
    task_id = await master.submit()
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id))
    await store.add(new_links(pages, crawl_id=task_id))
    while batches := (await store.lease(lease_request(task_id, max_links=5_000))).batches:
        for batch in batches:
            outcomes = [
                fetched(link, record=b'{"title": "A \\u00fc, b", "price": {"eur": %d}}' % link.id)
                for link in batch.links
            ]
            await store.settle([settlement(batch, *outcomes)])
    return task_id


def left_in(folder: Path) -> list[Path]:
    return list(folder.iterdir())


def path_of(task_id: str) -> str:
    return f"/api/v1/tasks/{task_id}/records:export"


@pytest.mark.parametrize("file_format", FORMATS)
async def test_all_records_come_as_a_file(master: Master, temporary: Path, file_format: str) -> None:
    task_id = await crawled(master)
    answer = await master.client("viewer").get(path_of(task_id), format=file_format)
    assert (answer.status, answer.headers["content-type"]) == (200, FORMATS[file_format])
    assert answer.headers["content-disposition"] == f'attachment; filename="{task_id}-records.{file_format}"'
    rows = _rows(answer.body, file_format)
    assert len(rows) == PAGES
    assert {row["url"] for row in rows} == {f"https://a.example/{page}" for page in range(PAGES)}
    assert rows[0]["title"] == "A ü, b"
    assert left_in(temporary) == []


def _rows(body: bytes, file_format: str) -> list[dict[str, Any]]:
    if file_format == "csv":
        return [
            {"url": row["url"], "title": row["data.title"]}
            for row in csv.DictReader(io.StringIO(body.decode()))
        ]
    if file_format == "parquet":
        table = pyarrow.parquet.read_table(io.BytesIO(body)).to_pylist()
        return [{"url": row["url"], "title": row["data.title"]} for row in table]
    lines = [msgspec.json.decode(line) for line in body.splitlines()]
    assert list(lines[0]) == ["url", "final_url", "status", "depth", "fetched_at", "data"]
    return [{"url": line["url"], "title": line["data"]["title"]} for line in lines]


@pytest.mark.parametrize("file_format", FORMATS)
async def test_a_task_without_records_has_an_empty_file(master: Master, file_format: str) -> None:
    answer = await master.client().get(path_of(await master.submit()), format=file_format)
    assert answer.status == 200
    assert _rows_or_none(answer.body, file_format) == []


def _rows_or_none(body: bytes, file_format: str) -> list[dict[str, Any]]:
    return [] if file_format == "jsonl" and not body else _rows(body, file_format)


async def test_lines_are_what_comes_without_a_format(master: Master) -> None:
    answer = await master.client().get(path_of(await crawled(master, 2)))
    assert answer.headers["content-type"] == FORMATS["jsonl"]
    assert len(answer.body.splitlines()) == 2


async def test_unknown_formats_and_tasks(master: Master) -> None:
    bad = await master.client().get(path_of(await master.submit()), format="xlsx")
    assert (bad.status, bad.error["field"]) == (422, "format")
    unknown = await master.client().get(path_of("task-0"), format="csv")
    assert (unknown.status, unknown.error["code"]) == (404, "not_found")


@pytest.mark.parametrize("file_format", FORMATS)
async def test_nothing_is_left_behind_when_the_client_hangs_up(
    master: Master, temporary: Path, file_format: str
) -> None:
    task_id = await crawled(master)
    async with master.client().stream(path_of(task_id), format=file_format) as stream:
        await stream.pieces.get()
    assert stream.ended.is_set()
    assert left_in(temporary) == []


async def test_a_file_that_nobody_waits_for_any_more_is_given_up(
    master: Master, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task_id = await crawled(master, 3)
    reading = asyncio.Event()

    async def never(*_: Any) -> None:
        reading.set()
        await asyncio.Event().wait()

    monkeypatch.setattr(master.context.crawl_store, "records", never)
    hung_up = asyncio.Event()
    asking = asyncio.create_task(_ask_until(master.client(), path_of(task_id), hung_up))
    await reading.wait()
    assert len(left_in(temporary)) == 1
    hung_up.set()
    await asking
    assert left_in(temporary) == []


async def _ask_until(client: Client, path: str, hung_up: asyncio.Event) -> None:
    asked = False

    async def receive() -> dict[str, Any]:
        nonlocal asked
        if asked:
            await hung_up.wait()
            return {"type": "http.disconnect"}
        asked = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        pass

    await client.app(client.scope("GET", path, {"format": "csv"}, {}, 0), receive, send)


async def test_a_full_disk_is_said(temporary: Path) -> None:
    class Full(FileRecordExport):
        def open_writer(self, path: Path) -> RecordWriter:
            raise OutputError(f"Cannot write {path}: no space is left.")

    master = await Master.start(record_export=Full())
    answer = await master.client().get(path_of(await master.submit()), format="csv")
    assert (answer.status, answer.error["code"]) == (503, "unavailable")
    assert "no space is left" in answer.error["message"]
    assert left_in(temporary) == []


@pytest.mark.parametrize(
    ("task_id", "name"),
    [("task-1", "task-1-records.csv"), ('a"b ü;c', "a_b_c-records.csv"), ("..", "task-records.csv")],
)
def test_names_of_files_are_safe(task_id: str, name: str) -> None:
    assert file_name(task_id, "csv") == name
