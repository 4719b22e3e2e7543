"""The pages of the reference that are made from the interfaces, as Markdown, and the description as JSON."""

import json
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI

from crawlmesh.api.errors import ERROR_MEANINGS
from crawlmesh.api.openapi_document import TAGS
from crawlmesh.model.event import EventType
from crawlmesh.observability.metrics import METRICS

_MADE = "This page is made from the code by `make docs`; a test sees to it that they agree."

EVENT_MEANINGS: dict[EventType, tuple[str, str]] = {
    EventType.NODE_REGISTERED: (
        "A node registered, or registered again.",
        "node_id, name, cluster_id, session, again",
    ),
    EventType.NODE_UNREGISTERED: ("A node was taken out of service or forgotten.", "node_id, name"),
    EventType.NODE_HEARTBEAT: ("A node reported of itself.", "node_id, heartbeat"),
    EventType.NODE_TIMEOUT: ("A node was silent for too long.", "node_id, last_heartbeat"),
    EventType.NODE_HEALTH_CHANGED: (
        "A health check found another state than the one before.",
        "node_id, old_status, new_status, details",
    ),
    EventType.NODE_STATUS_CHANGED: (
        "A node drains, is in maintenance, is back, or left.",
        "node_id, status, old_status",
    ),
    EventType.NODE_UNAVAILABLE: ("The scheduler must do without a node.", "node_id"),
    EventType.TASK_CREATED: ("A task was submitted.", "task_id, task_type, priority"),
    EventType.TASK_ASSIGNED: (
        "A node was chosen for a task.",
        "task_id, node_id, execution_id, strategy, choice, task_info",
    ),
    EventType.TASK_REASSIGN: ("A task was taken from a node and waits for another.", "task_id, node_id"),
    EventType.TASK_STATUS_CHANGED: (
        "A task was paused, resumed, cancelled or retried.",
        "task_id, status, old_status",
    ),
    EventType.TASK_COMPLETED: ("A task is done.", "task_id, node_id, result"),
    EventType.TASK_FAILED: ("A task is given up.", "task_id, node_id, result"),
    EventType.TASK_TIMEOUT: ("A go at a task took too long.", "task_id, node_id, retry_count"),
    EventType.TASK_FILTER_NEARLY_FULL: (
        "The Bloom filter of a crawl is nine tenths full; it grows when it is full. Told once for each size.",
        "task_id, capacity, count, layers, bytes, error_rate",
    ),
    EventType.HOST_LIMITS_CHANGED: (
        "A user laid limits down for a host, or took them away (all empty).",
        "host, delay, slots, blocked",
    ),
    EventType.LEADER_CHANGED: ("Another master leads.", "leader, fence"),
}


def openapi_text(app: FastAPI) -> str:
    """`docs/reference/openapi.json`: the description for programs, such as those that make clients."""
    return json.dumps(app.openapi(), ensure_ascii=False, indent=2) + "\n"


def describe_api(app: FastAPI) -> str:
    """`docs/reference/api.md`: every operation, what it takes, what it answers, and every error."""
    document = app.openapi()
    lines = [
        "# HTTP interfaces",
        "",
        f"Every operation of a master. {_MADE}",
        "The same with all fields and examples, to try out: `/docs` of a running master, and",
        "`/openapi.json` for machines.",
        "",
        "Send `Authorization: Bearer KEY` with everything but `/health`. A browser that opens `/docs` asks",
        "for a name and a password: any name, and a key of any role as password. The same opens the",
        "interfaces, but for changes that a page of another site sends. What happens stands in",
        "[events.md](events.md), what is measured in [metrics.md](metrics.md).",
        "",
        "## Errors",
        "",
        'Every error is `{"error": {"code", "message", "field", "request_id"}}`; `field` is there where one',
        "is at fault. `request_id` is also in the header `X-Request-ID` and in the master's log.",
        "",
        "| code | status | when |",
        "|---|---|---|",
        *(f"| `{code}` | {status} | {when} |" for code, (status, when) in ERROR_MEANINGS.items()),
    ]
    for tag in TAGS:
        lines += ["", f"## {tag['name'][:1].upper()}{tag['name'][1:]}", "", tag["description"]]
        for method, path, operation in _operations(document, tag["name"]):
            lines += _described(method, path, operation)
    return "\n".join(lines) + "\n"


def describe_events() -> str:
    """`docs/reference/events.md`: every event."""
    lines = [
        "# Events",
        "",
        f"What a master tells, in order of ids that only grow. {_MADE}",
        "",
        "`GET /api/v1/events?after=ID` lists them; `GET /api/v1/events:stream` tells them as they happen",
        "(server-sent events). A listener that comes back with the header `Last-Event-ID` misses none;",
        "`follow=false` ends the stream after what is stored.",
        "",
        "| type | when | data |",
        "|---|---|---|",
    ]
    for event, (when, data) in EVENT_MEANINGS.items():
        lines.append(f"| `{event}` | {when} | {data} |")
    return "\n".join(lines) + "\n"


def describe_metrics() -> str:
    """`docs/reference/metrics.md`: every metric."""
    lines = [
        "# Metrics",
        "",
        "What `GET /metrics` of a master answers, for Prometheus. It needs a key with the role viewer.",
        _MADE,
        "",
        "| name | kind | labels | what |",
        "|---|---|---|---|",
    ]
    for metric in METRICS:
        labels = ", ".join(f"`{label}`" for label in metric.labels) or "none"
        lines.append(f"| `{metric.name}` | {metric.kind} | {labels} | {metric.help} |")
    return "\n".join(lines) + "\n"


def _operations(document: dict[str, Any], tag: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            if tag in operation["tags"]:
                yield method.upper(), path, operation


def _described(method: str, path: str, operation: dict[str, Any]) -> list[str]:
    text = f"{operation['summary']}. {operation.get('description', '')}".strip()
    lines = ["", f"### {method} {path}", "", text]
    parameters = [each for each in operation.get("parameters", ()) if each["in"] != "path"]
    if parameters:
        lines += ["", "| parameter | in | what |", "|---|---|---|"]
        lines += [
            f"| `{each['name']}` | {each['in']} | {each.get('description', '')} |" for each in parameters
        ]
    body = operation.get("requestBody", {}).get("content", {})
    for media_type, content in body.items():
        lines += ["", f"Body: {_type(content, media_type)}."]
    answers = [_answer(status, response) for status, response in operation["responses"].items()]
    return [*lines, "", f"Answers: {'; '.join(answers)}."]


def _answer(status: str, response: dict[str, Any]) -> str:
    content = response.get("content", {})
    if not status.startswith("2") or not content:
        return status
    return f"{status} with {'; '.join(_type(each, media_type) for media_type, each in content.items())}"


def _type(content: dict[str, Any], media_type: str) -> str:
    reference = content["schema"].get("$ref", "")
    return f"`{reference.rsplit('/', 1)[-1]}`" if reference else f"`{media_type}`"
