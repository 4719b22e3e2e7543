"""Puts the HTTP interfaces together."""

from typing import Any

from fastapi import FastAPI

from crawlmesh.api import metrics
from crawlmesh.api.auth import EVERYBODY, allow
from crawlmesh.api.dashboard import add_dashboard, packaged_dashboard
from crawlmesh.api.distribution import devices as distribution_devices
from crawlmesh.api.distribution import system as distribution_system
from crawlmesh.api.distribution import tasks as distribution_tasks
from crawlmesh.api.docs_page import add_docs_page
from crawlmesh.api.errors import add_error_handlers
from crawlmesh.api.openapi_document import openapi_document
from crawlmesh.api.options import ApiOptions
from crawlmesh.api.request_frame import RequestFrame
from crawlmesh.api.services import Services
from crawlmesh.api.v1 import (
    attention,
    clusters,
    events,
    executions,
    hosts,
    keys,
    live,
    node_protocol,
    nodes,
    preview,
    record_export,
    series,
    session,
    system,
    task_details,
    task_failures,
    task_steering,
    tasks,
)
from crawlmesh.control.context import ControlContext
from crawlmesh.version import __version__

_ROUTERS = (
    tasks.router,
    task_steering.router,
    task_failures.router,
    task_details.router,
    record_export.router,
    preview.router,
    executions.router,
    nodes.router,
    node_protocol.router,
    clusters.router,
    hosts.router,
    events.router,
    live.router,
    series.router,
    attention.router,
    keys.router,
    session.router,
    system.router,
    distribution_devices.router,
    distribution_tasks.router,
    distribution_system.router,
    metrics.router,
    system.open_router,
)


def make_app(context: ControlContext, options: ApiOptions | None = None) -> FastAPI:
    """The app of one master. It starts nothing by itself."""
    options = options or ApiOptions()
    app = FastAPI(
        title="Crawlmesh",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.services = Services(context, options)
    for router in _ROUTERS:
        app.include_router(router)
    _add_description(app)
    add_docs_page(app)
    add_dashboard(app, options.dashboard or packaged_dashboard())
    add_error_handlers(app)
    app.add_middleware(RequestFrame, options=options)
    return app


def _add_description(app: FastAPI) -> None:
    def describe() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = openapi_document(app, _ROUTERS)
        return app.openapi_schema

    async def openapi_json() -> dict[str, Any]:
        return describe()

    app.openapi = describe  # type: ignore[method-assign]
    app.add_api_route("/openapi.json", openapi_json, include_in_schema=False, dependencies=[allow(EVERYBODY)])
