"""What bodies of requests may hold, beyond what their types say: tasks by their type, and no NUL anywhere."""

from collections.abc import Iterable, Iterator
from typing import Any

from crawlmesh.model.task import WEB_CRAWL
from crawlmesh.protocol.crawl_parameters import CRAWL_SCHEMAS, Schema, reference
from crawlmesh.protocol.texts import NO_NUL

_NAME: Schema = {"type": "string", "pattern": NO_NUL}
_JSON: Schema = {
    "description": "Any JSON. No text in it has the character NUL, which no store keeps.",
    "anyOf": [
        *({"type": kind} for kind in ("null", "boolean", "number")),
        _NAME,
        {"type": "array", "items": reference("Json")},
        {"type": "object", "propertyNames": _NAME, "additionalProperties": reference("Json")},
    ],
}
_NOTES = frozenset({"description", "default", "title", "examples"})
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_PARTS = ("items", "additionalProperties")


def complete_requests(document: dict[str, Any], strategies: Iterable[str]) -> None:
    """Say in an OpenAPI document all that the server asks of bodies."""
    schemas: dict[str, Schema] = document["components"]["schemas"]
    schemas.update(CRAWL_SCHEMAS, Json=_JSON)
    for name, variants in (("TaskRequest", _tasks), ("DistributionTask", _distribution_tasks)):
        task = schemas[name]
        task["properties"]["schedule_strategy"] = {"enum": [*sorted(strategies), None], "default": None}
        schemas[name] = {**_notes(task), "anyOf": variants(task)}
    bodies = [
        content["schema"]
        for operations in document["paths"].values()
        for operation in operations.values()
        for media_type, content in operation.get("requestBody", {}).get("content", {}).items()
        if media_type == "application/json"
    ]
    for name in _reached(bodies, schemas):
        schemas[name] = without_nul(schemas[name])


def _tasks(task: Schema) -> list[Schema]:
    """A crawl, whose parameters are known, or a task of another type, which are its executor's business."""
    return [_crawl(task, ["parameters"], parameters=reference("CrawlParameters")), _other(task)]


def _distribution_tasks(task: Schema) -> list[Schema]:
    """The same, where the start of a crawl may also stand beside its parameters."""
    url = CRAWL_SCHEMAS["CrawlParameters"]["anyOf"][0]["properties"]["url"]
    return [
        _crawl(task, ["url"], url=url, parameters={**reference("CrawlOptions"), "default": {}}),
        _crawl(task, ["parameters"], url={"type": "null"}, parameters=reference("CrawlParameters")),
        _other(task),
    ]


def _crawl(task: Schema, required: list[str], **properties: Schema) -> Schema:
    kind = {"const": WEB_CRAWL, "default": WEB_CRAWL}
    return _variant(task, f"A {WEB_CRAWL}", required, task_type=kind, **properties)


def _other(task: Schema) -> Schema:
    kind = {name: part for name, part in task["properties"]["task_type"].items() if name != "default"}
    return _variant(task, "Another task", ["task_type"], task_type={**kind, "not": {"const": WEB_CRAWL}})


def _variant(task: Schema, title: str, required: list[str], **properties: Schema) -> Schema:
    plain = {name: part for name, part in task.items() if name not in _NOTES}
    return {
        **plain,
        "title": title,
        "properties": {**task["properties"], **properties},
        "required": [*task.get("required", ()), *required],
    }


def _notes(schema: Schema) -> Schema:
    return {name: part for name, part in schema.items() if name in _NOTES}


def without_nul(schema: Schema) -> Schema:
    """The same schema, saying of every text and of everything open that there is no NUL in it."""
    if not schema.keys() - _NOTES:
        return {**schema, **reference("Json")}
    found = dict(schema)
    if schema.get("type") == "string" and "format" not in schema:
        found.setdefault("pattern", NO_NUL)
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        found.setdefault("additionalProperties", {})
        found["propertyNames"] = without_nul({"type": "string", **schema.get("propertyNames", {})})
    for name in _PARTS:
        if isinstance(found.get(name), dict):
            found[name] = without_nul(found[name])
    for name in _LISTS:
        if name in found:
            found[name] = [without_nul(part) for part in found[name]]
    if "properties" in found:
        found["properties"] = {name: without_nul(part) for name, part in found["properties"].items()}
    return found


def _reached(roots: list[Schema], schemas: dict[str, Schema]) -> set[str]:
    """The names of all schemas that these need."""
    names: set[str] = set()
    waiting = [name for root in roots for name in _references(root)]
    while waiting:
        name = waiting.pop()
        if name not in names:
            names.add(name)
            waiting += _references(schemas[name])
    return names


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rpartition("/")[2]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _references(part)
