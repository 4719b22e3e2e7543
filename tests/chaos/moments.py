"""The moments at which a crawl is hit. Each is something that can be seen from outside, never a time."""

import time
from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import psutil

from tests.chaos.served_site import ServedSite

_PATIENCE = 120.0  # seconds; a moment that does not come until then means that the crawl hangs

Seen = Callable[[], bool]


def wait_for(seen: Seen, process: Popen[str]) -> bool:
    """Wait until something is seen. False where the process ended before."""
    deadline = time.monotonic() + _PATIENCE
    while not seen():
        if process.poll() is not None:
            return False
        assert time.monotonic() < deadline, "what the test waits for does not happen"
        time.sleep(0.001)
    return process.poll() is None


def spawned() -> Seen:
    """At once: Python itself is still starting."""
    return lambda: True


def state_taken(state: Path, process: Popen[str]) -> Seen:
    """The state is locked; the store is about to be opened, or being read."""
    lock = state / "lock"
    return lambda: lock.exists() and lock.read_text().strip() == str(process.pid)


def database_made(state: Path) -> Seen:
    """The database is there; its tables may not be."""
    return (state / "crawl.db").exists


def further_requests(site: ServedSite, number: int, host: str | None = None) -> Seen:
    """The server has seen this many more requests than now."""
    wanted = site.requests(host) + number
    return lambda: site.requests(host) >= wanted


def export_begun(output: Path) -> Seen:
    """The file of records grows."""
    old = set(output.parent.glob(f".{output.name}.*.part"))
    return lambda: bool(set(output.parent.glob(f".{output.name}.*.part")) - old)


def crawl_processes(process: Popen[str]) -> list[psutil.Process]:
    """The crawl processes of `--processes` that are alive."""
    try:
        return [child for child in psutil.Process(process.pid).children() if _is_crawling(child)]
    except psutil.NoSuchProcess:
        return []


def _is_crawling(child: psutil.Process) -> bool:
    try:
        return child.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False
