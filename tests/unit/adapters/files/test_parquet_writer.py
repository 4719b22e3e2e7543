import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from crawlmesh.adapters.files import ParquetWriter, parquet_table
from crawlmesh.testing.conformance.record_writer import sample_record


def _write(path: Path, *data: dict[str, Any]) -> Any:
    writer = ParquetWriter(path)
    writer.write(sample_record(number, each) for number, each in enumerate(data))
    writer.close()
    return pq.read_table(path)


def test_page_columns_have_stable_types(tmp_path: Path) -> None:
    table = _write(tmp_path / "x.parquet", {})
    assert table.schema.names == ["url", "final_url", "status", "depth", "fetched_at"]
    assert table.schema.types == [
        pa.string(),
        pa.string(),
        pa.int32(),
        pa.int32(),
        pa.timestamp("ms", tz="UTC"),
    ]
    assert table["fetched_at"][0].as_py() == datetime(2026, 11, 15, 9, 12, 19, 123000, UTC)


def test_data_columns_are_typed_over_all_records(tmp_path: Path) -> None:
    table = _write(
        tmp_path / "x.parquet",
        {"title": "ä", "price": 1, "mixed": 1, "none": None, "empty": {}},
        {"price": 2.5, "mixed": "one", "none": None, "empty": {}},
        {"title": None, "price": None, "mixed": [1]},
    )
    types = {name: table.schema.field(name).type for name in table.schema.names[5:]}
    assert types == {
        "data.title": pa.string(),
        "data.price": pa.float64(),
        "data.mixed": pa.string(),
        "data.none": pa.string(),
        "data.empty": pa.string(),
    }
    assert table["data.title"].to_pylist() == ["ä", None, None]
    assert table["data.price"].to_pylist() == [1.0, 2.5, None]
    assert table["data.mixed"].to_pylist() == ["1", '"one"', "[1]"]
    assert table["data.empty"].to_pylist() == ["{}", "{}", None]


def test_lists_of_objects_stay_lists_of_objects(tmp_path: Path) -> None:
    table = _write(
        tmp_path / "x.parquet",
        {"products": [{"name": "a", "price": 1}, {"name": "b"}]},
        {"products": []},
        {"products": [{"price": 2.5, "code": 7}]},
        {"products": [{"code": "seven"}]},
    )
    assert table["data.products"].to_pylist() == [
        [{"name": "a", "price": 1.0, "code": None}, {"name": "b", "price": None, "code": None}],
        [],
        [{"name": None, "price": 2.5, "code": "7"}],
        [{"name": None, "price": None, "code": '"seven"'}],
    ]


def test_integers_are_exact_whatever_their_size(tmp_path: Path) -> None:
    table = _write(tmp_path / "x.parquet", {"a": 2**63 - 1, "b": 2**70}, {"a": 1, "b": 1})
    assert table["data.a"].to_pylist() == [2**63 - 1, 1]
    assert table["data.b"].to_pylist() == [str(2**70), "1"]


@pytest.mark.parametrize("limit", ["_ROWS_PER_GROUP", "_BYTES_PER_GROUP"])
def test_rows_are_written_in_bounded_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(parquet_table, limit, 10)
    data = [{"a": f"text {number}"} for number in range(25)]
    table = _write(tmp_path / "x.parquet", *data)
    assert table["data.a"].to_pylist() == [each["a"] for each in data]
    assert pq.ParquetFile(tmp_path / "x.parquet").num_row_groups >= 3


def test_pyarrow_is_not_imported_before_it_is_needed() -> None:
    program = "import sys, crawlmesh.adapters.files; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
