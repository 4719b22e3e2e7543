"""The part of the Parquet writer that needs pyarrow."""

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import msgspec
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from crawlmesh.adapters.files.json_types import JsonType, ListOf, ObjectOf, Scalar, fit, without_empty_objects
from crawlmesh.adapters.files.record_spool import SpooledRecord
from crawlmesh.adapters.files.timestamps import unix_milliseconds

_ROWS_PER_GROUP = 20_000
_BYTES_PER_GROUP = 32 * 1024 * 1024  # of JSON; bounds the memory that a group takes

_PAGE_FIELDS = (
    pa.field("url", pa.string()),
    pa.field("final_url", pa.string()),
    pa.field("status", pa.int32()),
    pa.field("depth", pa.int32()),
    pa.field("fetched_at", pa.timestamp("ms", tz="UTC")),
)
_SCALARS = {
    Scalar.NULL: pa.string(),
    Scalar.BOOLEAN: pa.bool_(),
    Scalar.INTEGER: pa.int64(),
    Scalar.NUMBER: pa.float64(),
    Scalar.TEXT: pa.string(),
    Scalar.JSON: pa.string(),
}


def write_table(file: BinaryIO, types: dict[str, JsonType], records: Iterable[SpooledRecord]) -> None:
    """Write all records as row groups of bounded size."""
    columns = {key: without_empty_objects(kind) for key, kind in types.items()}
    fields = [pa.field(f"data.{key}", _arrow_type(kind)) for key, kind in columns.items()]
    schema = pa.schema([*_PAGE_FIELDS, *fields])
    with pq.ParquetWriter(file, schema) as writer:
        for group in _groups(records):
            writer.write_table(pa.Table.from_arrays(_arrays(group, columns, schema), schema=schema))


def _arrow_type(kind: JsonType) -> Any:
    if isinstance(kind, ListOf):
        return pa.list_(_arrow_type(kind.item))
    if isinstance(kind, ObjectOf):
        return pa.struct([pa.field(key, _arrow_type(field)) for key, field in kind.fields.items()])
    return _SCALARS[kind]


def _groups(records: Iterable[SpooledRecord]) -> Iterator[list[SpooledRecord]]:
    group: list[SpooledRecord] = []
    size = 0
    for record in records:
        group.append(record)
        size += len(record.data)
        if len(group) == _ROWS_PER_GROUP or size >= _BYTES_PER_GROUP:
            yield group
            group, size = [], 0
    if group:
        yield group


def _arrays(group: list[SpooledRecord], columns: dict[str, JsonType], schema: Any) -> list[Any]:
    decoder = msgspec.json.Decoder(dict[str, Any])
    data = [decoder.decode(record.data) for record in group]
    values: list[list[Any]] = [
        [record.url for record in group],
        [record.final_url for record in group],
        [record.status for record in group],
        [record.depth for record in group],
        [unix_milliseconds(record.fetched_at) for record in group],
    ]
    values.extend([fit(row.get(key), kind) for row in data] for key, kind in columns.items())
    return [pa.array(column, type=field.type) for column, field in zip(values, schema, strict=True)]
