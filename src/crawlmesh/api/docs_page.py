"""The interactive documentation at /docs, for every key. Everything it needs comes from this server."""

from importlib import resources

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from crawlmesh.api.auth import EVERYBODY, allow, caller

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Crawlmesh API</title>
<link rel="stylesheet" href="docs/assets/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="operations"></div>
<script src="docs/assets/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""

# The whole URL is written out since pages opened as http://name:key@host/docs may fetch no relative ones.
# `validatorUrl: null` keeps Swagger UI from asking a server on the internet whether the document is valid.
_START = """SwaggerUIBundle({
  url: new URL("openapi.json", location.origin + location.pathname).href,
  dom_id: "#operations",
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  filter: true,
  validatorUrl: null,
});
"""

_ONLY_FROM_HERE = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
}


def add_docs_page(app: FastAPI) -> None:
    """Serve the page, its start and the files of Swagger UI."""

    async def page() -> Response:
        return HTMLResponse(_PAGE, headers=_ONLY_FROM_HERE)

    async def start() -> Response:
        return Response(_START, media_type="text/javascript", headers=_ONLY_FROM_HERE)

    for path, answer in (("/docs", page), ("/docs/start.js", start)):
        app.add_api_route(path, answer, include_in_schema=False, dependencies=[allow(EVERYBODY)])
    with resources.as_file(resources.files("fastapi_offline") / "static") as folder:
        app.mount("/docs/assets", _ForKeys(StaticFiles(directory=folder)), name="docs-assets")


class _ForKeys:
    """An app that serves only requests with a key."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await caller(Request(scope))
        await self._app(scope, receive, send)
