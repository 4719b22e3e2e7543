from typing import Any

import pytest

from crawlmesh.adapters.files.json_types import (
    JsonType,
    ListOf,
    ObjectOf,
    Scalar,
    fit,
    merge,
    type_of,
    without_empty_objects,
)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, Scalar.NULL),
        (True, Scalar.BOOLEAN),
        (1, Scalar.INTEGER),
        (2**63 - 1, Scalar.INTEGER),
        (2**63, Scalar.JSON),
        (1.5, Scalar.NUMBER),
        ("x", Scalar.TEXT),
        ([], ListOf(Scalar.NULL)),
        ([1, None, 2.5], ListOf(Scalar.NUMBER)),
        ([1, "x"], ListOf(Scalar.JSON)),
        ({"a": [True]}, ObjectOf({"a": ListOf(Scalar.BOOLEAN)})),
        ({str(number): 1 for number in range(300)}, Scalar.JSON),
    ],
)
def test_type_of(value: Any, kind: JsonType) -> None:
    assert type_of(value) == kind


def test_deep_nesting_ends_in_json() -> None:
    value: Any = 1
    for _ in range(500):
        value = [value]
    kind = type_of(value)
    depth = 0
    while isinstance(kind, ListOf):
        kind, depth = kind.item, depth + 1
    assert (kind, depth) == (Scalar.JSON, 8)


@pytest.mark.parametrize(
    ("left", "right", "merged"),
    [
        (Scalar.NULL, Scalar.TEXT, Scalar.TEXT),
        (Scalar.INTEGER, Scalar.NUMBER, Scalar.NUMBER),
        (Scalar.INTEGER, Scalar.BOOLEAN, Scalar.JSON),
        (Scalar.JSON, Scalar.NULL, Scalar.JSON),
        (Scalar.TEXT, ListOf(Scalar.TEXT), Scalar.JSON),
        (ListOf(Scalar.NULL), ListOf(Scalar.TEXT), ListOf(Scalar.TEXT)),
        (
            ObjectOf({"a": Scalar.TEXT, "b": Scalar.NULL}),
            ObjectOf({"b": Scalar.TEXT, "c": Scalar.TEXT}),
            ObjectOf({"a": Scalar.TEXT, "b": Scalar.TEXT, "c": Scalar.TEXT}),
        ),
    ],
)
def test_merge_is_the_same_both_ways(left: JsonType, right: JsonType, merged: JsonType) -> None:
    assert merge(left, right) == merged
    assert merge(right, left) == merged


def test_objects_that_never_had_a_field_become_json() -> None:
    kind = ObjectOf({"a": ListOf(ObjectOf({})), "b": Scalar.TEXT})
    assert without_empty_objects(kind) == ObjectOf({"a": ListOf(Scalar.JSON), "b": Scalar.TEXT})


def test_fit_converts_only_what_the_type_asks_for() -> None:
    kind = ObjectOf({"a": Scalar.NUMBER, "b": ListOf(Scalar.JSON), "c": Scalar.TEXT})
    assert fit({"a": 1, "b": ["x", None, [1]]}, kind) == {"a": 1.0, "b": ['"x"', None, "[1]"], "c": None}
