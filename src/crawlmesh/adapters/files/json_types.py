"""The type that fits all values of a column: inferred from JSON values, merged over all records."""

from enum import Enum
from typing import Any

import msgspec

_DEEPEST = 8  # levels of lists and objects; what lies deeper is kept as JSON
_MOST_FIELDS = 256  # of one object; more means that its keys are data, such as a map of prices by product
_INTEGER_LIMIT = 2**63


class Scalar(Enum):
    """Types without parts. JSON holds what no other type can hold, as its text."""

    NULL = "null"
    BOOLEAN = "boolean"
    INTEGER = "integer"  # 64 bits, signed
    NUMBER = "number"
    TEXT = "text"
    JSON = "json"


class ListOf(msgspec.Struct, frozen=True):
    """Lists whose items all have one type."""

    item: "JsonType"


class ObjectOf(msgspec.Struct, frozen=True):
    """Objects; every field may be missing."""

    fields: "dict[str, JsonType]"


JsonType = Scalar | ListOf | ObjectOf


def type_of(value: Any, depth: int = 0) -> JsonType:
    """The narrowest type of one decoded JSON value."""
    if isinstance(value, str):
        return Scalar.TEXT
    if value is None:
        return Scalar.NULL
    if isinstance(value, bool):
        return Scalar.BOOLEAN
    if isinstance(value, int):
        return Scalar.INTEGER if -_INTEGER_LIMIT <= value < _INTEGER_LIMIT else Scalar.JSON
    if isinstance(value, float):
        return Scalar.NUMBER
    return Scalar.JSON if depth == _DEEPEST else _type_of_container(value, depth + 1)


def _type_of_container(value: list[Any] | dict[str, Any], depth: int) -> JsonType:
    if isinstance(value, list):
        item: JsonType = Scalar.NULL
        for each in value:
            item = merge(item, type_of(each, depth))
        return ListOf(item)
    return _object_of({key: type_of(each, depth) for key, each in value.items()})


def _object_of(fields: dict[str, JsonType]) -> JsonType:
    return ObjectOf(fields) if len(fields) <= _MOST_FIELDS else Scalar.JSON


def merge(left: JsonType, right: JsonType) -> JsonType:
    """The narrowest type that holds the values of both. Types with nothing in common become JSON."""
    if left == right or right is Scalar.NULL:
        return left
    if left is Scalar.NULL:
        return right
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        return ListOf(merge(left.item, right.item))
    if isinstance(left, ObjectOf) and isinstance(right, ObjectOf):
        return _merge_objects(left, right)
    return Scalar.NUMBER if {left, right} == {Scalar.INTEGER, Scalar.NUMBER} else Scalar.JSON


def _merge_objects(left: ObjectOf, right: ObjectOf) -> JsonType:
    fields = dict(left.fields)
    for key, field in right.fields.items():
        fields[key] = merge(fields.get(key, Scalar.NULL), field)
    return _object_of(fields)


def without_empty_objects(kind: JsonType) -> JsonType:
    """The same type with JSON for objects that never had a field, which tables cannot express."""
    if isinstance(kind, ListOf):
        return ListOf(without_empty_objects(kind.item))
    if isinstance(kind, ObjectOf):
        fields = {key: without_empty_objects(field) for key, field in kind.fields.items()}
        return ObjectOf(fields) if fields else Scalar.JSON
    return kind


def fit(value: Any, kind: JsonType) -> Any:
    """A value in the form that its column's type asks for."""
    if value is None:
        return None
    if kind is Scalar.JSON:
        return msgspec.json.encode(value).decode()
    if kind is Scalar.NUMBER:
        return float(value)
    if isinstance(kind, ListOf):
        return [fit(each, kind.item) for each in value]
    if isinstance(kind, ObjectOf):
        return {key: fit(value.get(key), field) for key, field in kind.fields.items()}
    return value
