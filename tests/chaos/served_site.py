"""The demo site as a process of its own, so that nothing that is killed takes it along."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from crawlmesh.testing.demo_site import AccessLog, DemoSiteOptions, Manifest

_PATIENCE = 60.0  # seconds; what takes longer hangs


class ServedSite:
    """What the site holds, and what its server has logged so far."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._log = folder / "access.log"
        self.manifest = manifest
        self._read = 0
        self._rest = b""
        self._starts: list[str] = []  # hosts, in the order of arrival

    @property
    def delayed_host(self) -> str:
        """The shop whose robots.txt asks for a delay."""
        return self.manifest.hosts[2]

    @property
    def other_hosts(self) -> list[str]:
        """What a crawl from the portal must be allowed to follow."""
        return list(self.manifest.hosts[1:])

    def log(self) -> AccessLog:
        """Everything that was asked so far."""
        return AccessLog.read(self._log)

    def requests(self, host: str | None = None) -> int:
        """How many requests arrived so far, or how many of them at one host."""
        self._follow()
        return len(self._starts) if host is None else self._starts.count(host)

    def _follow(self) -> None:
        with self._log.open("rb") as file:
            file.seek(self._read)
            news = file.read()
        self._read += len(news)
        *lines, self._rest = (self._rest + news).split(b"\n")
        events = map(json.loads, lines)
        self._starts.extend(event["host"] for event in events if event["event"] == "start")


@contextmanager
def serving(folder: Path, options: DemoSiteOptions, port: int = 0) -> Iterator[ServedSite]:
    """Serve the site while the block runs. A later server in the same folder goes on with its log."""
    folder.mkdir(exist_ok=True)
    (folder / "ready").unlink(missing_ok=True)
    arguments = [
        *("--port", port),
        *("--access-log", folder / "access.log", "--first-times", folder / "first-times"),
        *("--manifest", folder / "manifest.json", "--ready-file", folder / "ready"),
        *("--shops", options.shops, "--products", options.products, "--page-size", options.page_size),
        *("--categories", options.categories, "--latency", options.latency),
        *("--crawl-delay", options.crawl_delay, "--slow-seconds", options.slow_seconds),
        "--curiosities" if options.curiosities else "--no-curiosities",
    ]
    command = [sys.executable, "-m", "crawlmesh.testing.demo_site", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
        try:
            deadline = time.monotonic() + _PATIENCE
            while not (folder / "ready").exists():
                assert server.poll() is None, "the demo site ended"
                assert time.monotonic() < deadline, "the demo site does not start"
                time.sleep(0.01)
            yield ServedSite(folder, Manifest.read(folder / "manifest.json"))
        finally:
            server.terminate()
