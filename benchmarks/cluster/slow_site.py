"""A site of small pages in which every answer takes the same time: `python -m benchmarks.cluster.slow_site`.

Prints the address when it listens. Pages are numbered; page i links to the pages 8i+1 … 8i+8. `/count` tells
when each page was served.
"""

import argparse
import asyncio
import json
import time

LINKS = 8


class SlowSite(asyncio.Protocol):
    """Answers HTTP/1.1 requests, one after another on each connection."""

    pages = 0
    delay = 0.05  # seconds
    served: list[float] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._buffer = b""

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode()
            if path == "/count":
                self._answer(json.dumps(SlowSite.served).encode(), "application/json")
            else:
                asyncio.get_running_loop().call_later(self.delay, self._page, path)

    def _page(self, path: str) -> None:
        SlowSite.served.append(time.time())
        number = int(path.removeprefix("/page/") or 0) if path.startswith("/page/") else 0
        following = range(LINKS * number + 1, min(LINKS * number + LINKS + 1, self.pages))
        links = "".join(f'<a href="/page/{each}">page {each}</a>' for each in following)
        self._answer(f"<title>Page {number}</title><body>{links}".encode(), "text/html")

    def _answer(self, body: bytes, kind: str) -> None:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
        if not self._transport.is_closing():
            self._transport.write(head.encode() + body)


async def serve(pages: int, delay: float) -> None:
    SlowSite.pages, SlowSite.delay = pages, delay
    server = await asyncio.get_running_loop().create_server(SlowSite, "127.0.0.1", 0, backlog=1024)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", type=int)
    parser.add_argument("--delay", type=float, default=0.05)
    given = parser.parse_args()
    asyncio.run(serve(given.pages, given.delay))
