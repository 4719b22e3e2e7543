"""Runs the other task queues in environments of their own."""

import json
import subprocess
from pathlib import Path

from benchmarks.cluster.noop import Throughput
from benchmarks.environments import ensure_environment
from benchmarks.machine import StealMeter

_PROJECT = Path(__file__).resolve().parents[2]


def run_celery(work_folder: Path, tasks: int) -> Throughput:
    """One worker process with eight threads, late acknowledgement, results recorded; Redis keeps nothing."""
    return _run("Celery, Redis, late acks", work_folder, "celery", "celery_run", [str(tasks)], tasks)


def run_procrastinate(work_folder: Path, tasks: int, address: str) -> Throughput:
    """One worker process with 100 jobs at once, on PostgreSQL."""
    arguments = [str(tasks), address]
    return _run(
        "Procrastinate, PostgreSQL", work_folder, "procrastinate", "procrastinate_run", arguments, tasks
    )


def _run(
    name: str, work_folder: Path, environment: str, module: str, arguments: list[str], tasks: int
) -> Throughput:
    python = ensure_environment(work_folder, environment)
    steal = StealMeter()
    result = subprocess.run(
        [python, "-m", f"benchmarks.cluster.peers.{module}", *arguments],
        cwd=_PROJECT,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    if result.returncode:
        raise RuntimeError(f"{name} failed: {result.stderr[-2000:]}")
    measured = json.loads(result.stdout.strip().splitlines()[-1])
    return Throughput(
        name,
        tasks,
        measured["seconds"],
        measured["create_seconds"],
        measured["cpu_seconds"],
        steal.share(),
    )
