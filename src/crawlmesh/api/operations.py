"""How operations are described: who may call them, what goes in, what comes out, and what can go wrong."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from crawlmesh.api.auth import allow
from crawlmesh.api.errors import ErrorAnswer
from crawlmesh.model.access import Role

SCHEMAS_EXTENSION = "x-schemas"  # taken out again when the document is put together

_REFERENCE = "#/components/schemas/{name}"
_JSON = "application/json"
_REQUEST_ID = "3f6c1b1e0c7d4c0e9a5b7d2f8e4a6c10"

# What can go wrong, by status: when, the code, and an example of the message.
_ERRORS: dict[int, tuple[str, str, str]] = {
    401: (
        "No key or token, or one that is not known.",
        "unauthenticated",
        "This needs a key. Send the header `Authorization: Bearer KEY`.",
    ),
    403: (
        "The key's role does not allow this.",
        "forbidden",
        "The key dashboard has the role viewer; this needs admin or operator.",
    ),
    404: ("There is nothing with this id.", "not_found", "There is no task 'task-123'."),
    409: (
        "It contradicts what is there.",
        "conflict",
        "The task 'task-123' is completed; it can only be retried.",
    ),
    413: ("The body is too large.", "too_large", "The body is larger than 33554432 bytes. Send it in parts."),
    422: (
        "A field or a parameter has a value that is not allowed.",
        "invalid",
        "priority is 11: expected `int` <= 10. Correct it and send the request again.",
    ),
    503: ("The store does not answer.", "unavailable", "The database cannot be reached. Try again later."),
}


class Body(NamedTuple):
    """What a request carries. `media_type` without a type is a body that is not JSON."""

    type: Any
    example: Any = None
    required: bool = True
    media_type: str = _JSON


class Success(NamedTuple):
    """What comes back when all goes well. Those of one status are its media types."""

    type: Any
    example: Any = None
    status: int = 200
    description: str = "Done."
    headers: Mapping[str, str] = {}  # name and what it says
    media_type: str = _JSON


def operation(
    operation_id: str,
    summary: str,
    *,
    tag: str,
    success: Success,
    roles: frozenset[Role] | None,
    also: tuple[Success, ...] = (),
    body: Body | None = None,
    errors: tuple[int, ...] = (),
    description: str = "",
    node_token: bool = False,
    schemas: tuple[Any, ...] = (),
) -> dict[str, Any]:
    """The arguments for a route. `roles` are let in, None: the handler looks for itself.

    `node_token`: the token of the node in the path is asked for, or is enough. `schemas` are further
    types to describe, such as those inside of streams.
    """
    components: dict[str, Any] = {}
    for kind in schemas:
        _content(kind, None, components)
    extra: dict[str, Any] = {
        "responses": _responses(
            (success, *also), _error_statuses(roles, body, errors, node_token), components
        ),
        "security": _security(roles, node_token),
    }
    if body is not None:
        extra["requestBody"] = {
            "required": body.required,
            "content": {body.media_type: _content(body.type, body.example, components)},
        }
    extra[SCHEMAS_EXTENSION] = components
    return {
        "operation_id": operation_id,
        "summary": summary,
        "description": _description(description, roles, node_token),
        "tags": [tag],
        "status_code": success.status,
        "response_model": None,
        "response_description": success.description,
        "dependencies": [] if roles is None else [allow(roles)],
        "openapi_extra": extra,
    }


def _error_statuses(
    roles: frozenset[Role] | None, body: Body | None, errors: tuple[int, ...], node_token: bool
) -> list[int]:
    statuses = {422, 503, *errors}
    if roles is not None:
        statuses |= {401, 403}
    if node_token:
        statuses |= {401}
    if body is not None:
        statuses |= {413}
    return sorted(statuses)


def _description(description: str, roles: frozenset[Role] | None, node_token: bool) -> str:
    who = [f"role {' or '.join(sorted(roles))}"] if roles else []
    if node_token:
        who.append("the node's own token")
    needs = f"Needs {', or '.join(who)}." if who else ""
    return " ".join(part for part in (description, needs) if part)


def _security(roles: frozenset[Role] | None, node_token: bool) -> list[dict[str, list[str]]]:
    key: list[dict[str, list[str]]] = [{"key": []}, {"sign_in": []}, {"session": []}] if roles else []
    token: list[dict[str, list[str]]] = [{"node_token": []}] if node_token else []
    return key + token


def _responses(
    successes: tuple[Success, ...], errors: list[int], components: dict[str, Any]
) -> dict[str, Any]:
    responses: dict[str, Any] = {}
    for success in successes:
        found = responses.setdefault(str(success.status), {"content": {}})
        described = _success(success, components)
        content = {**found["content"], **described.pop("content", {})}
        found.update(described, content=content)
    for response in responses.values():
        if not response["content"]:
            del response["content"]
    for status in errors:
        when, code, message = _ERRORS[status]
        example = {"error": {"code": code, "message": message, "request_id": _REQUEST_ID}}
        responses[str(status)] = {
            "description": when,
            "content": {_JSON: _content(ErrorAnswer, example, components)},
        }
    return responses


def _success(success: Success, components: dict[str, Any]) -> dict[str, Any]:
    response: dict[str, Any] = {"description": success.description}
    if success.type is not None or success.media_type != _JSON:
        response["content"] = {success.media_type: _content(success.type, success.example, components)}
    if success.headers:
        response["headers"] = {
            name: {"description": text, "schema": {"type": "string"}}
            for name, text in success.headers.items()
        }
    return response


def _content(kind: Any, example: Any, components: dict[str, Any]) -> dict[str, Any]:
    if kind is None:
        return {"schema": {"type": "string"}} | ({} if example is None else {"example": example})
    (schema,), found = msgspec.json.schema_components([kind], ref_template=_REFERENCE)
    components.update(found)
    return {"schema": schema} | ({} if example is None else {"example": example})
