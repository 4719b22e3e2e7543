"""The description of everything in OpenAPI 3.1, put together from the routes."""

from collections.abc import Iterable, Iterator
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from crawlmesh.api.credentials import SESSION_COOKIE
from crawlmesh.api.operations import SCHEMAS_EXTENSION
from crawlmesh.api.request_schemas import complete_requests
from crawlmesh.api.services import services_of_app

TAGS = [
    {"name": "tasks", "description": "Submit, look at and steer tasks."},
    {"name": "executions", "description": "Each node's go at a task."},
    {"name": "nodes", "description": "Look at and steer nodes."},
    {"name": "node protocol", "description": "What nodes say to masters."},
    {"name": "clusters", "description": "Nodes that belong together."},
    {"name": "hosts", "description": "The web servers that are asked: look at them, limit and block them."},
    {"name": "events", "description": "What happened, as a list and as a stream."},
    {"name": "keys", "description": "Who may do what."},
    {"name": "system", "description": "The whole at a glance."},
    {
        "name": "distribution",
        "description": "The interface of the distributed task system: devices and their tasks.",
    },
]

_DESCRIPTION = """Crawlmesh: a cluster of crawlers.

Send `Authorization: Bearer KEY` with every request, or sign in with any name and the key as password, as
browsers do for this page. The dashboard trades its key for a session (`POST /api/v1/session`). Every error
has one shape, and its `request_id` leads to the line in the master's log. Lists come in pages: go on with
`next_cursor` until it is null. Moments are ISO 8601 in UTC, but for `registration_time` and the `timestamp`
of heartbeats, which are Unix seconds."""

_SECURITY_SCHEMES = {
    "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "A key with a role: admin, operator, viewer, or node (to register nodes).",
    },
    "sign_in": {
        "type": "http",
        "scheme": "basic",
        "description": "Any name, and a key as password. Pages of other sites change nothing with it.",
    },
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": SESSION_COOKIE,
        "description": "What `POST /api/v1/session` sets. Pages of other sites change nothing with it.",
    },
    "node_token": {
        "type": "http",
        "scheme": "bearer",
        "description": "The token that a node got when it registered; good for its own calls only.",
    },
}


def openapi_document(app: FastAPI, routers: Iterable[APIRouter]) -> dict[str, Any]:
    """The whole document; `routers` are those whose operations are described."""
    document: dict[str, Any] = get_openapi(
        title=app.title, version=app.version, description=_DESCRIPTION, routes=app.routes, tags=TAGS
    )
    schemas: dict[str, Any] = {}
    for path, method, extra in _described(routers):
        operation = document["paths"][path][method]
        # FastAPI drops what is null, also in examples: they are put back as they were written.
        operation.update({name: part for name, part in extra.items() if name != SCHEMAS_EXTENSION})
        operation.pop(SCHEMAS_EXTENSION, None)
        for parameter in operation.get("parameters", ()):
            parameter["schema"] = _never_null(parameter["schema"])
        schemas.update(extra[SCHEMAS_EXTENSION])
    components = document.setdefault("components", {})
    components["schemas"] = schemas
    components["securitySchemes"] = _SECURITY_SCHEMES
    complete_requests(document, services_of_app(app).context.strategies)
    components["schemas"] = dict(sorted(components["schemas"].items()))
    return document


def _never_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a parameter that may be left out: FastAPI says that it may be null, which no text is."""
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    return {**kinds[0], **{name: part for name, part in schema.items() if name != "anyOf"}}


def _described(routers: Iterable[APIRouter]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for router in routers:
        for route in router.routes:
            if isinstance(route, APIRoute) and route.openapi_extra:
                for method in route.methods or ():
                    yield route.path_format, method.lower(), route.openapi_extra
