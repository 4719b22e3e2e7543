"""The dashboard at `/`: files that the build made, for everybody, since there is no data in them.

It is one page: every address that a browser opens inside of it answers the same HTML, and scripts do the rest
with the HTTP interfaces, which ask for a key.
"""

import secrets
from importlib import resources
from pathlib import Path

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from crawlmesh.api.dashboard_files import DashboardFolder

_OTHER_PLACES = ("/api", "/docs", "/openapi.json", "/health", "/metrics")
_ASSETS = "/assets"

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_POLICY_OF_FILES = "default-src 'none'; frame-ancestors 'none'"
_SAFETY = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_FOR_EVER = "public, max-age=31536000, immutable"  # names of assets change with their content
_AN_HOUR = "public, max-age=3600"

_NOT_BUILT = b"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Crawlmesh</title></head>
<body>
<h1>Crawlmesh</h1>
<p>This master runs, but it was installed without its dashboard.
Run <code>make web</code> in the folder of the project to build it, then load this page again.</p>
<p>The HTTP interfaces work as they are: <a href="/docs">/docs</a> describes them.</p>
</body>
</html>
"""


def packaged_dashboard() -> Path:
    """The folder that the build writes into, which may not be there."""
    return Path(str(resources.files("crawlmesh") / "web"))


def add_dashboard(app: FastAPI, folder: Path) -> None:
    """Serve the dashboard wherever nothing else is. To be called last."""
    app.router.routes.append(_DashboardRoute(DashboardFolder(folder)))


class _DashboardRoute(BaseRoute):
    """Takes what a browser asks of the dashboard, and leaves all else to the answers of the interfaces."""

    path_format = "/{dashboard}"  # in the metrics

    def __init__(self, folder: DashboardFolder) -> None:
        self._folder = folder

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Whether there is a file at this address, or a browser opens a page."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return Match.NONE, {}
        path = scope["path"]
        if path == "/" or (not _is_below(path, *_OTHER_PLACES) and self._is_ours(path, scope)):
            return Match.FULL, {"route": self}
        return Match.NONE, {}

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        request = Request(scope)
        await self._answer(request)(scope, receive, send)

    def _is_ours(self, path: str, scope: Scope) -> bool:
        dashboard = self._folder.look()
        if dashboard is not None and path in dashboard.files:
            return True
        return not _is_below(path, _ASSETS) and _opens_a_page(scope)

    def _answer(self, request: Request) -> Response:
        path, dashboard = request.scope["path"], self._folder.look()
        if dashboard is None:
            status = 200 if path == "/" else 404
            return _page(request, _NOT_BUILT, secrets.token_urlsafe(16), status)
        file = dashboard.files.get(path)
        if file is None:
            nonce = secrets.token_urlsafe(16)
            return _page(request, dashboard.page(nonce), nonce)
        coding, content = file.best(request.headers.get("accept-encoding", ""))
        headers = {
            **_SAFETY,
            "Content-Security-Policy": _POLICY_OF_FILES,
            "Content-Type": file.content_type,
            "Cache-Control": _FOR_EVER if _is_below(path, _ASSETS) else _AN_HOUR,
            "Vary": "Accept-Encoding",
            **({"Content-Encoding": coding} if coding else {}),
        }
        return _response(request, content, headers)


def _is_below(path: str, *places: str) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def _opens_a_page(scope: Scope) -> bool:
    return any(name == b"accept" and b"text/html" in value for name, value in scope.get("headers", ()))


def _page(request: Request, content: bytes, nonce: str, status: int = 200) -> Response:
    headers = {
        **_SAFETY,
        "Content-Security-Policy": _POLICY.format(nonce=nonce),
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-cache",
        "Vary": "Accept",
    }
    return _response(request, content, headers, status)


def _response(request: Request, content: bytes, headers: dict[str, str], status: int = 200) -> Response:
    body = b"" if request.method == "HEAD" else content
    return Response(body, status, {**headers, "Content-Length": str(len(content))})
