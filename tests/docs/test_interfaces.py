from typing import Any

import pytest

from crawlmesh.adapters.memory import MemoryControlStore, MemoryCrawlStore
from crawlmesh.api.app import make_app
from crawlmesh.api.errors import ERROR_MEANINGS
from crawlmesh.api.reference import (
    EVENT_MEANINGS,
    describe_api,
    describe_events,
    describe_metrics,
    openapi_text,
)
from crawlmesh.control.context import ControlContext, ControlOptions
from crawlmesh.model.event import EventType
from crawlmesh.observability.metrics import METRICS, Metric
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.testing.manual_clock import ManualClock
from tests.docs.pages import page, table_rows

_CLOCK = ManualClock()
_STORES = (MemoryControlStore(), MemoryCrawlStore(_CLOCK))
_APP = make_app(ControlContext(*_STORES, _CLOCK, ControlOptions(), strategies=builtin_strategies()))
_OPERATIONS: list[tuple[str, str, Any]] = [
    (method.upper(), path, operation)
    for path, operations in _APP.openapi()["paths"].items()
    for method, operation in operations.items()
]


def test_the_pages_are_what_make_docs_writes() -> None:
    assert page("docs/reference/api.md") == describe_api(_APP), "run `make docs`"
    assert page("docs/reference/events.md") == describe_events(), "run `make docs`"
    assert page("docs/reference/metrics.md") == describe_metrics(), "run `make docs`"


def test_the_description_for_programs_is_what_make_docs_writes() -> None:
    assert page("docs/reference/openapi.json") == openapi_text(_APP), "run `make docs`"


@pytest.mark.parametrize(("method", "path", "operation"), _OPERATIONS)
def test_every_operation_is_documented_with_its_parameters(method: str, path: str, operation: Any) -> None:
    sections = page("docs/reference/api.md").split("\n### ")
    section = next(section for section in sections if section.startswith(f"{method} {path}\n"))
    for parameter in operation.get("parameters", ()):
        assert parameter["in"] == "path" or f"| `{parameter['name']}` |" in section
    assert operation["summary"] in section


@pytest.mark.parametrize("event", EventType)
def test_every_event_is_documented(event: EventType) -> None:
    assert event in EVENT_MEANINGS
    assert event in {row[0] for row in table_rows(page("docs/reference/events.md"))}


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_every_metric_is_documented(metric: Metric) -> None:
    assert metric.name in {row[0] for row in table_rows(page("docs/reference/metrics.md"))}


@pytest.mark.parametrize("code", ERROR_MEANINGS)
def test_every_error_is_documented(code: str) -> None:
    assert code in {row[0] for row in table_rows(page("docs/reference/api.md"))}
