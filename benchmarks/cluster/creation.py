"""How long the call takes that creates one task, at a fixed rate of calls."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cluster.deployment import Deployment
from benchmarks.machine import StealMeter


@dataclass(frozen=True)
class Latency:
    """Percentiles in milliseconds, counted from when each call was due: waiting in line is part of it."""

    calls: int
    per_second: float
    median: float
    p99: float
    worst: float
    steal_share: float


async def run_creation(folder: Path, rate: int, seconds: int, control_store: str | None = None) -> Latency:
    async with Deployment(folder, control_store) as deployment:
        await _calls(deployment, rate, 2)  # connections are open, code is warm
        steal = StealMeter()
        taken = sorted(await _calls(deployment, rate, seconds))
        at = [taken[int(len(taken) * share)] * 1000 for share in (0.5, 0.99)]
        return Latency(len(taken), rate, at[0], at[1], taken[-1] * 1000, steal.share())


async def _calls(deployment: Deployment, rate: int, seconds: int) -> list[float]:
    taken: list[float] = []
    body = {"task_type": "noop", "parameters": {"value": 1}, "priority": 7}

    async def call(due: float) -> None:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await deployment.post("/api/v1/tasks", body)
        taken.append(time.perf_counter() - due)

    begun = time.perf_counter() + 0.1
    async with asyncio.TaskGroup() as group:
        for number in range(rate * seconds):
            group.create_task(call(begun + number / rate))
    return taken
