import csv
from pathlib import Path

import msgspec

from crawlmesh.adapters.files import CsvWriter
from crawlmesh.testing.conformance.record_writer import sample_record


def _write(path: Path, *data: bytes) -> list[dict[str, str]]:
    writer = CsvWriter(path)
    writer.write(
        msgspec.structs.replace(sample_record(number), data=each) for number, each in enumerate(data)
    )
    writer.close()
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, strict=True))


def test_columns_are_the_union_in_the_order_of_appearance(tmp_path: Path) -> None:
    rows = _write(tmp_path / "x.csv", b'{"b":1,"a":2}', b'{"c":3,"a":4}', b"{}")
    page = ["url", "final_url", "status", "depth", "fetched_at"]
    assert list(rows[0]) == [*page, "data.b", "data.a", "data.c"]
    assert [[row["data.b"], row["data.a"], row["data.c"]] for row in rows] == [
        ["1", "2", ""],
        ["", "4", "3"],
        ["", "", ""],
    ]
    assert rows[0]["fetched_at"] == "2026-11-15T09:12:19.123Z"
    assert rows[1]["status"] == "200"
    assert rows[1]["depth"] == "1"


def test_cells_are_exact(tmp_path: Path) -> None:
    (row,) = _write(
        tmp_path / "x.csv",
        b'{"text":"a \\"b\\", c\\r\\nd","formula":"=1+1","big":123456789012345678901234567890,'
        b'"decimal":1.50,"yes":true,"nothing":null,"empty":"","list":[1, {"a":"x"}],"url":"own"}',
    )
    assert row["data.text"] == 'a "b", c\r\nd'
    assert row["data.formula"] == "=1+1"
    assert row["data.big"] == "123456789012345678901234567890"
    assert row["data.decimal"] == "1.50"
    assert row["data.yes"] == "true"
    assert row["data.nothing"] == ""
    assert row["data.empty"] == ""
    assert row["data.list"] == '[1, {"a":"x"}]'
    assert row["data.url"] == "own"
    assert row["url"].startswith("https://")


def test_the_file_follows_rfc_4180(tmp_path: Path) -> None:
    _write(tmp_path / "x.csv", '{"a":"ü,\\"\\n"}'.encode())
    header, row = (tmp_path / "x.csv").read_bytes().split(b"\r\n", 1)
    assert header == b"url,final_url,status,depth,fetched_at,data.a"
    assert row.endswith(',"ü,""\n"\r\n'.encode())


def test_data_with_line_breaks_survives(tmp_path: Path) -> None:
    (row,) = _write(tmp_path / "x.csv", b'{\n  "a": 1,\n  "b": [\n 2 ]\n}')
    assert (row["data.a"], row["data.b"]) == ("1", "[2]")
