"""Masters, workers and the engines behind them, all of them hit again and again."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Self

import aiohttp

from crawlmesh.testing.cluster_processes import ClusterProcesses, free_port
from tests.chaos.crawl_under_fire import PER_HOST
from tests.chaos.engines import SETTINGS, Engines
from tests.chaos.other_system import OtherSystem
from tests.chaos.served_site import ServedSite
from tests.chaos.tcp_proxy import TcpProxy

__all__ = ["SETTINGS", "ClusterUnderFire"]

_PATIENCE = 180.0  # seconds; what does not happen until then hangs
_ENDED = {"completed", "failed", "timeout", "cancelled"}


class ClusterUnderFire:
    """The processes, the connections between them, and how often they were hit."""

    def __init__(
        self, folder: Path, engines: Engines, site: ServedSite, dice: random.Random, workers: int = 4
    ) -> None:
        self.site = site
        self._engines = engines
        self._dice = dice
        self._processes = ClusterProcesses(folder, engines.settings)
        self._workers = [f"worker-{number + 1}" for number in range(workers)]
        self._masters: dict[str, str] = {}  # address by name
        self._proxies: list[TcpProxy] = []
        self._http: aiohttp.ClientSession
        self.faults: Counter[str] = Counter()
        self.tasks: list[str] = []
        self.crawls: list[str] = []
        self.other_system: OtherSystem | None = None  # which publishes tasks, where there is a broker

    async def __aenter__(self) -> Self:
        headers = {"Authorization": f"Bearer {self._processes.key}"}
        self._http = aiohttp.ClientSession(headers=headers, timeout=aiohttp.ClientTimeout(total=5))
        try:
            await self._start()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()
        if self.other_system is not None:
            await self.other_system.aclose()
        for proxy in self._proxies:
            await proxy.stop()
        self._processes.__exit__(None, None, None)

    async def _start(self) -> None:
        if self._engines.broker is not None:
            self.other_system = OtherSystem(await self._engines.open_channel())
        for name in [f"master-{number + 1}" for number in range(self._engines.masters)]:
            port = free_port()
            self._masters[name] = self._processes.start_master(name, port)
            proxy = TcpProxy(port)
            await proxy.start()
            self._proxies.append(proxy)
        await self.until(self._some_master_leads, "a master leads")
        addresses = ",".join(f"http://127.0.0.1:{proxy.port}" for proxy in self._proxies)
        for name in self._workers:
            self._processes.start_worker(name, addresses)
        await self.until(self._all_online, "all workers are online")

    # -- work ------------------------------------------------------------------------------------

    async def submit_crawl(self) -> None:
        """The whole demo site, worked on by all nodes."""
        parameters = {
            "url": self.site.manifest.portal_url,
            "allow_hosts": self.site.other_hosts,
            "selectors": {
                "product": "div.product",
                "title": "h2.title",
                "price": "span.price",
                "heading": "h1",
            },
            "per_host": PER_HOST,
        }
        task = await self._submit({"parameters": parameters, "max_nodes": 4, "max_retries": 100})
        self.crawls.append(task)

    async def submit_noops(self, number: int) -> None:
        """Small tasks beside it; from another system, where there is a broker."""
        if self.other_system is not None:
            await self.other_system.publish_noops(number)
            return
        for _ in range(number):
            await self._submit({"task_type": "noop", "parameters": {"value": 1}, "max_retries": 100})

    async def crawl_is_over(self) -> bool:
        """Whether the latest crawl has ended."""
        task = await self.get(f"/api/v1/tasks/{self.crawls[-1]}")
        return task["status"] in _ENDED

    async def all_tasks_ended(self) -> bool:
        """Whether nothing is left to do, and everything that was published has come."""
        if self.other_system is not None:
            found = await self.get("/api/v1/system/overview")
            if found["tasks_total"] < len(self.tasks) + self.other_system.tasks:
                return False
            return bool(sum(found["tasks"][status] for status in _ENDED) == found["tasks_total"])
        for task_id in self.tasks:
            if (await self.get(f"/api/v1/tasks/{task_id}"))["status"] not in _ENDED:
                return False
        return True

    async def _submit(self, body: dict[str, Any]) -> str:
        # The key makes it safe to ask another master when the answer of the first got lost.
        key = f"chaos-{len(self.tasks)}"
        answer = await self._ask("POST", "/api/v1/tasks", json=body, headers={"Idempotency-Key": key})
        task_id = str(answer["id"])
        if task_id not in self.tasks:
            self.tasks.append(task_id)
        return task_id

    def kill(self, name: str) -> None:
        """SIGKILL for a process; `start_again` brings it back."""
        self._processes.kill(name)

    def start_again(self, name: str) -> None:
        """With the folder, the port and the identity that it had."""
        self._processes.start_again(name)

    # -- faults ----------------------------------------------------------------------------------

    async def hit(self, kind: str | None = None) -> None:
        """One fault and its end; chosen by the dice, where it is not given."""
        faults: dict[str, Callable[[], Awaitable[None]]] = {
            "kill worker": lambda: self._kill(self._dice.choice(self._workers)),
            "kill master": lambda: self._kill(self._dice.choice(list(self._masters))),
            "pause worker": lambda: self._pause_worker(self._dice.choice(self._workers)),
            "cut": self._cut,
            "refuse": self._refuse,
            **({"pause master": self._pause_master} if len(self._masters) > 1 else {}),
            **{f"kill {name}": partial(self._kill_store, name) for name in self._engines.stores},
            **{f"kill {name}": partial(self._kill_broker, name) for name in self._engines.brokers},
        }
        kind = kind or self._dice.choice([*faults, "kill worker", "cut"])
        self.faults[kind] += 1
        await faults[kind]()

    @property
    def engines(self) -> list[str]:
        """The databases and brokers that can be killed."""
        return [*self._engines.stores, *self._engines.brokers]

    async def heal(self) -> None:
        """Everything runs and is connected."""
        for proxy in self._proxies:
            proxy.refuse(refusing=False)
        await self.until(self._some_master_leads, "a master leads again")
        await self.until(self._all_online, "all workers are online again")

    async def _kill(self, name: str) -> None:
        self._processes.kill(name)
        if self._dice.random() < 0.5 and not (name in self._masters and len(self._masters) == 1):
            await self.further_requests(self._dice.randrange(8))
        self._processes.start_again(name)
        if name in self._masters:
            await self.until(self._some_master_leads, "a master leads again")

    async def _kill_store(self, name: str) -> None:
        """A master or worker that starts meanwhile finds no store, says so and ends; it is started again."""
        await self.until(self._all_masters_answer, "all masters answer")
        await self.until(self._all_online, "all workers are online")
        server = self._engines.stores[name]
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        await self.until(self._some_master_leads, "a master leads again")

    async def _kill_broker(self, name: str) -> None:
        """The site is crawled on meanwhile."""
        server = self._engines.brokers[name]
        await asyncio.to_thread(server.kill)
        if self._dice.random() < 0.5:
            await self.further_requests(self._dice.randrange(8))
        await asyncio.to_thread(server.start)

    async def _pause_worker(self, name: str) -> None:
        """Longer than its leases: until it is declared dead."""
        await self.until(lambda: self._node_is(name, {"online"}), f"{name} is online")
        self._processes.pause(name)
        await self.until(lambda: self._node_is(name, {"unresponsive", "offline"}), f"{name} is declared dead")
        self._processes.go_on(name)

    async def _pause_master(self) -> None:
        """The one that leads, until the other one does."""
        leader = await self._leader()
        if leader is None:
            return
        other = next(name for name in self._masters if name != leader)

        async def other_leads() -> bool:
            return await self._leads(other)

        self._processes.pause(leader)
        try:
            await self.until(other_leads, f"{other} leads instead of the paused {leader}")
        finally:
            self._processes.go_on(leader)

    async def _cut(self) -> None:
        self._dice.choice(self._proxies).cut()

    async def _refuse(self) -> None:
        proxy = self._dice.choice(self._proxies)
        proxy.refuse(refusing=True)
        proxy.cut()
        if len(self._proxies) > 1:
            await self.further_requests(self._dice.randrange(8))
        proxy.refuse(refusing=False)

    # -- looking ---------------------------------------------------------------------------------

    async def further_requests(self, number: int) -> None:
        """Wait until the site has seen so many requests more, or the crawl is over."""
        wanted = self.site.requests() + number

        async def seen() -> bool:
            return self.site.requests() >= wanted or await self.crawl_is_over()

        await self.until(seen, f"the site sees {number} further requests")

    async def get(self, path: str) -> Any:
        """Ask whichever master answers."""
        return await self._ask("GET", path)

    async def until(self, holds: Callable[[], Awaitable[bool]], what: str) -> None:
        """Wait for something that must happen."""
        deadline = time.monotonic() + _PATIENCE
        while not await holds():
            self._processes.raise_for_ended("does not answer" if self._engines.stores else None)
            assert time.monotonic() < deadline, f"it does not happen that {what}; {self._printed()}"
            await asyncio.sleep(0.05)

    async def _ask(self, method: str, path: str, **options: Any) -> Any:
        deadline = time.monotonic() + _PATIENCE
        while True:
            for address in self._dice.sample(list(self._masters.values()), len(self._masters)):
                try:
                    async with self._http.request(method, address + path, **options) as response:
                        if response.status < 500:
                            assert response.status < 400, f"{path}: {response.status} {await response.text()}"
                            return await response.json()
                except (aiohttp.ClientError, TimeoutError):
                    continue
            assert time.monotonic() < deadline, f"no master answers {path}; {self._printed()}"
            await asyncio.sleep(0.05)

    async def _health(self, name: str) -> dict[str, Any] | None:
        try:
            async with self._http.get(
                self._masters[name] + "/health", timeout=aiohttp.ClientTimeout(total=1)
            ) as response:
                return dict(await response.json())
        except (aiohttp.ClientError, TimeoutError):
            return None

    async def _leads(self, name: str) -> bool:
        health = await self._health(name)
        return health is not None and bool(health["leader"])

    async def _all_masters_answer(self) -> bool:
        return None not in [await self._health(name) for name in self._masters]

    async def _leader(self) -> str | None:
        for name in self._masters:
            if await self._leads(name):
                return name
        return None

    async def _some_master_leads(self) -> bool:
        return await self._leader() is not None

    async def _node_is(self, name: str, statuses: set[str]) -> bool:
        node = await self.get(f"/api/v1/nodes/{name}")
        return str(node["status"]) in statuses

    async def _all_online(self) -> bool:
        nodes = (await self.get("/api/v1/nodes?limit=100"))["items"]
        return bool(sum(node["status"] == "online" for node in nodes) == len(self._workers))

    def _printed(self) -> str:
        return "\n".join(f"--- {name}\n{self._processes.printed(name)}" for name in self._processes.running)
