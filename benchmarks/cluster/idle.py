"""What an idle cluster costs its master: 100 workers that only report and wait."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from benchmarks.cluster.deployment import Deployment


@dataclass(frozen=True)
class IdleCost:
    """The master's processor time, as a share of one core."""

    workers: int
    seconds: float
    share: float


async def run_idle(folder: Path, workers: int, seconds: float, heartbeat_interval: float) -> IdleCost:
    async with Deployment(folder) as deployment:
        async with asyncio.TaskGroup() as group:
            nodes = [
                group.create_task(_node(deployment, number, heartbeat_interval)) for number in range(workers)
            ]
            await asyncio.sleep(10)  # all are registered, and their first long polls wait
            before = deployment.cpu_seconds("master")
            await asyncio.sleep(seconds / 2)
            nodes.append(group.create_task(_node(deployment, workers, heartbeat_interval)))
            await asyncio.sleep(seconds / 2)
            used = deployment.cpu_seconds("master") - before
            for node in nodes:
                node.cancel()
        return IdleCost(workers, seconds, used / seconds)


async def _node(deployment: Deployment, number: int, heartbeat_interval: float) -> None:
    """A worker as the master sees it: registers, reports in turn, always has one long poll open."""
    await asyncio.sleep(number * 0.05)
    body = {
        "name": f"idle-{number}",
        "device_id": f"idle-{number}",
        "resources": {"cpu": 4, "memory_mb": 8192},
    }
    answer = await deployment.post("/api/v1/nodes:register", body)
    path = f"/api/v1/nodes/{answer['node_id']}"
    headers = {"Authorization": f"Bearer {answer['token']}"}
    async with aiohttp.ClientSession(deployment.url, headers=headers) as http, asyncio.TaskGroup() as group:
        group.create_task(_beat(http, path, answer["session"], heartbeat_interval))
        group.create_task(_pull(http, path, answer["session"]))


async def _beat(http: aiohttp.ClientSession, path: str, session: int, interval: float) -> None:
    usage = {"cpu_usage": 0.1, "memory_usage": 0.2}
    while True:
        await asyncio.sleep(interval)
        body = {"resources": usage, "load": 0.1, "active_tasks": [], "session": session}
        async with http.post(f"{path}:heartbeat", json=body) as response:
            response.raise_for_status()


async def _pull(http: aiohttp.ClientSession, path: str, session: int) -> None:
    while True:
        async with http.post(f"{path}:pull", json={"session": session, "wait": 25.0}) as response:
            response.raise_for_status()
            await response.read()
