"""What a submitted task must look like. The first thing that is wrong is named, with its field."""

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.errors import InvalidError
from crawlmesh.protocol.task_messages import NewTask
from crawlmesh.protocol.texts import LONGEST_NAME, is_one_line

_TEXTS = ("task_type", "project_id", "workflow_id", "cluster_id", "target_region", "node_type")
_MOST_ENTRIES = 64  # of capabilities, resources, categories
_LONGEST_TIMEOUT = 366 * 86_400.0  # seconds
_MOST_RETRIES = 1000
_MOST_NODES = 10_000


def check_new_task(context: ControlContext, request: NewTask) -> None:
    """Raises InvalidError naming the field, the value and what is allowed."""
    if type(request.priority) is not int or not 1 <= request.priority <= 10:
        raise InvalidError(
            f"priority is {request.priority!r}; it must be a whole number from 1 to 10.", "priority"
        )
    _check_names(request)
    _check_strategy(context, request.schedule_strategy)
    _check_number(request.timeout, "timeout", 0, _LONGEST_TIMEOUT, above=True)
    _check_count(request.max_retries, "max_retries", 0, _MOST_RETRIES)
    _check_count(request.max_nodes, "max_nodes", 1, _MOST_NODES)
    if request.min_resources:
        _check_resources(request.min_resources)
    if request.capabilities:
        _check_capabilities(request.capabilities)
    if request.content_features:
        _check_entries(request.content_features, "content_features")
    _check_parameters(context, request)


def _check_names(request: NewTask) -> None:
    if not request.task_type or not request.project_id:
        field = "project_id" if request.task_type else "task_type"
        raise InvalidError(f"{field} is empty; give a name.", field)
    for field in _TEXTS:
        value = getattr(request, field)
        if value is not None:
            check_text(value, field)
    if len(request.categories) > _MOST_ENTRIES:
        count = len(request.categories)
        raise InvalidError(
            f"categories has {count} entries; at most {_MOST_ENTRIES} are allowed.", "categories"
        )
    for category in request.categories:
        check_text(category, "categories")


def check_text(value: str | None, field: str) -> None:
    """Raises InvalidError where a name is too long or is not one line of text."""
    if value is None or (len(value) <= LONGEST_NAME and is_one_line(value)):
        return
    raise InvalidError(
        f"{field} must be one line of at most {LONGEST_NAME} characters, none of them a control character.",
        field,
    )


def _check_strategy(context: ControlContext, name: str | None) -> None:
    if name is not None and name not in context.strategies:
        known = ", ".join(sorted(context.strategies))
        raise InvalidError(
            f"schedule_strategy is {name!r}; the strategies are: {known}.", "schedule_strategy"
        )


def _check_number(value: float | None, field: str, least: float, most: float, *, above: bool = False) -> None:
    if value is None:
        return
    fits = math.isfinite(value) and least <= value <= most and not (above and value == least)
    if not fits:
        relation = "above" if above else "at least"
        raise InvalidError(
            f"{field} is {value!r}; it must be {relation} {least:g} and at most {most:g}.", field
        )


def _check_count(value: int | None, field: str, least: int, most: int) -> None:
    if isinstance(value, bool):
        raise InvalidError(f"{field} is {value!r}; it must be a whole number.", field)
    _check_number(value, field, least, most)


def _check_resources(resources: Mapping[str, float]) -> None:
    _check_entries(resources, "min_resources")
    for name, value in resources.items():
        _check_number(value, f"min_resources.{name}", 0, 1e15)


def _check_capabilities(capabilities: Mapping[str, Any]) -> None:
    _check_entries(capabilities, "capabilities")
    for name, value in capabilities.items():
        if not _is_capability(value):
            raise InvalidError(
                f"capabilities.{name} is {value!r}; it must be a number, a flag, a text or a list of texts.",
                f"capabilities.{name}",
            )


def _is_capability(value: object) -> bool:
    if isinstance(value, list | tuple):
        return all(isinstance(entry, str) for entry in value)
    return isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value))


def _check_entries(entries: Mapping[str, Any], field: str) -> None:
    if len(entries) > _MOST_ENTRIES:
        raise InvalidError(f"{field} has {len(entries)} entries; at most {_MOST_ENTRIES} are allowed.", field)
    for name in entries:
        check_text(name, field)


def _check_parameters(context: ControlContext, request: NewTask) -> None:
    if request.parameters:
        try:
            size = len(msgspec.json.encode(request.parameters))
        except (TypeError, ValueError, RecursionError) as error:
            raise InvalidError(f"parameters cannot be written as JSON: {error}.", "parameters") from error
        if size > context.options.most_parameter_bytes:
            limit = context.options.most_parameter_bytes
            raise InvalidError(
                f"parameters take {size} bytes as JSON; at most {limit} are allowed.", "parameters"
            )
    context.check_parameters(request.task_type, request.parameters)
