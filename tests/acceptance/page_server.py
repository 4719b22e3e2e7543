"""A small web server whose answers a test writes down, and which remembers what it was asked."""

import socket
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Respond = Callable[[BaseHTTPRequestHandler], None]


class PageServer:
    """Serves on loopback from threads of its own. Targets without an answer get 404."""

    def __init__(self) -> None:
        self.pages: dict[str, Respond] = {}
        self.requests: list[tuple[str, dict[str, str]]] = []  # target and headers, names in lower case
        self.stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, target: str = "/") -> str:
        return f"http://127.0.0.1:{self.port}{target}"

    def page(self, target: str, html: str) -> None:
        """Answer with an HTML page."""
        self.pages[target] = answer(html.encode())

    def never_answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Hold the request until the server stops."""
        self.stopping.wait()
        handler.close_connection = True

    def targets(self) -> list[str]:
        return [target for target, _ in self.requests if target != "/robots.txt"]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                headers = {name.lower(): value for name, value in self.headers.items()}
                server.requests.append((self.path, headers))
                server.pages.get(self.path, answer(b"no such page", status=404))(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Say nothing."""

        return Handler


def answer(
    body: bytes, content_type: str = "text/html; charset=utf-8", status: int = 200, **headers: str
) -> Respond:
    """An ordinary answer."""

    def respond(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        fields = {"content-type": content_type, "content-length": str(len(body))}
        for name, value in {**fields, **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return respond


def endless(handler: BaseHTTPRequestHandler) -> None:
    """A body without an end."""
    handler.send_response(200)
    handler.send_header("content-type", "text/html")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"<p>and on</p>" * 1000)
    except OSError:
        handler.close_connection = True


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
