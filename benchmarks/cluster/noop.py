"""Durable no-op tasks, from creation over placement to the recorded result."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cluster.deployment import Deployment
from benchmarks.machine import StealMeter

_BATCH = 500
_SENDERS = 2
_LONGEST = 300.0  # seconds


@dataclass(frozen=True)
class Throughput:
    """Tasks per second over the whole way of all tasks."""

    name: str
    tasks: int
    seconds: float
    create_seconds: float
    cpu_seconds: float
    steal_share: float

    @property
    def per_second(self) -> float:
        return self.tasks / self.seconds


async def run_crawlmesh(name: str, folder: Path, tasks: int, control_store: str | None) -> Throughput:
    async with Deployment(folder, control_store) as deployment:
        await deployment.start_workers(1, concurrent_tasks=1000)
        steal = StealMeter()
        cpu_before = deployment.cpu_seconds()
        begun = time.perf_counter()
        sizes = [min(_BATCH, tasks - start) for start in range(0, tasks, _BATCH)]
        async with asyncio.timeout(_LONGEST), asyncio.TaskGroup() as group:
            for sender in range(_SENDERS):
                group.create_task(_send(deployment, sizes[sender::_SENDERS]))
        created = time.perf_counter() - begun
        async with asyncio.timeout(_LONGEST):
            await _all_ended(deployment, tasks)
        seconds = time.perf_counter() - begun
        used = deployment.cpu_seconds() - cpu_before
        return Throughput(name, tasks, seconds, created, used, steal.share())


async def _send(deployment: Deployment, sizes: list[int]) -> None:
    for size in sizes:
        task = {"task_type": "noop", "parameters": {"value": 1}, "schedule_strategy": "least_loaded"}
        await deployment.post("/api/v1/tasks:batch", {"tasks": [task] * size})


async def _all_ended(deployment: Deployment, tasks: int) -> None:
    while await deployment.completed_tasks() < tasks:
        await asyncio.sleep(0.1)
