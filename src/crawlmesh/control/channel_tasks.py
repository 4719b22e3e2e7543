"""Messages of other systems as tasks: whole ones, or an address with what else is to say about it."""

from typing import Any

import msgspec

from crawlmesh.errors import InvalidError
from crawlmesh.model.task import WEB_CRAWL
from crawlmesh.protocol.crawl_parameters import KNOWN_PARAMETERS
from crawlmesh.protocol.task_messages import NewTask

_NUL_ESCAPE = b"\\u0000"  # the only way to write the character in JSON
_PASSED_OVER = frozenset({"callback", "created_at", "meta", "retry_count", "task_id"})
_TASK_FIELDS = frozenset(NewTask.__struct_fields__) - {"parameters", "task_type"}
_NOT_SAID = 0  # the priority of a message whose publisher gave none


class _WholeTask(NewTask, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """As POST /api/v1/tasks takes it."""


def task_in(body: bytes) -> NewTask:
    """The task that a message asks for. Raises InvalidError naming the field that is at fault."""
    content = _content(body)
    if "url" in content:
        content = _written_out(content)
    try:
        return msgspec.convert(content, _WholeTask)
    except msgspec.ValidationError as error:
        raise InvalidError(f"The message is no task: {error}.") from error


def _content(body: bytes) -> dict[str, Any]:
    try:
        content = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidError(f"The message is not JSON that can be read: {error}.") from error
    if not isinstance(content, dict):
        kind = type(content).__name__
        raise InvalidError(
            f"The message is a JSON {kind}; send an object with the field url, or a whole task."
        )
    if _NUL_ESCAPE in body and _has_nul(content):
        raise InvalidError(
            "The message has a text with the character NUL, which no store keeps. Leave it out."
        )
    return content


def _written_out(short: dict[str, Any]) -> dict[str, Any]:
    """The whole task of the short form: one page, unless `depth` says more.

    What only the publisher's own programs understand is passed over; other unknown fields are refused.
    """
    if "parameters" in short:
        raise InvalidError("The field url stands beside parameters; put it into them.", "url")
    task: dict[str, Any] = {"task_type": WEB_CRAWL}
    parameters: dict[str, Any] = {"depth": 0}
    for name, value in short.items():
        if name in _PASSED_OVER or (name == "metadata" and isinstance(value, dict)):
            continue
        if name in _TASK_FIELDS:
            task[name] = value
        elif name in KNOWN_PARAMETERS:
            parameters[name] = value
        elif name != "task_type" or value != WEB_CRAWL:
            raise InvalidError(f"The field {name} is unknown beside url; leave it out.", name)
    if task.get("priority") == _NOT_SAID:
        del task["priority"]
    return {**task, "parameters": parameters}


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return isinstance(value, list) and any(map(_has_nul, value))
