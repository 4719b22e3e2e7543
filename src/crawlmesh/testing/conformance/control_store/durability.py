"""Closing a store, and what it still knows when it is opened again. Needs the flag `durable`."""

import asyncio
from pathlib import Path

import pytest

from crawlmesh.errors import IdempotencyError
from crawlmesh.model.node import HealthStatus, NodeHealth
from crawlmesh.model.query import Retention, Submission
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_nodes,
    add_tasks,
    all_events,
    assert_counted,
    ended,
    heartbeat,
    make,
    new_cluster,
    new_event,
    new_key,
    new_node,
    new_task,
    placed,
    snapshot,
)
from crawlmesh.testing.conformance.control_store.journal import new_line


class Closing(ControlStoreCase):
    """`aclose`, for every store."""

    async def test_closing_twice_is_fine(self, store: ControlStore) -> None:
        """And the fixture closes it a third time."""
        await add_tasks(store, new_task())
        await store.aclose()
        await store.aclose()

    async def test_closing_wakes_those_who_wait(self, store: ControlStore) -> None:
        """Nothing more will come."""
        waiting = asyncio.create_task(store.wait("events", store.mark("events"), 60.0))
        await asyncio.sleep(0)
        await store.aclose()
        await waiting


class Durability(ControlStoreCase):
    """Closing a store and opening it again."""

    @pytest.fixture
    def home(self, tmp_path: Path) -> Path:
        """The folder of the store; skips the test where there is no such thing."""
        if not self.durable:
            pytest.skip("this store keeps nothing when it is closed")
        return tmp_path

    async def test_everything_is_there_again(self, home: Path) -> None:
        """Tasks, executions, nodes, heartbeats, clusters, keys, events, logs, counters, used keys."""
        store = await self.open_store(home)
        await add_tasks(store, *(new_task(number) for number in range(1, 9)))
        await store.submit([Submission(task=new_task(20), idempotency_key="key", body_hash="a")], NOW)
        changes = [placed(new_task(number), number=number) for number in range(1, 5)]
        await make(store, *changes, ended(changes[0]))
        await add_nodes(store, new_node(1), new_node(2))
        await store.record_heartbeats([heartbeat(1, load=0.3)], [new_event()])
        await store.record_health([("node-002", NodeHealth(HealthStatus.HEALTHY, {"cpu_usage": 0.1}, NOW))])
        await store.save_cluster(new_cluster())
        await store.save_key(new_key())
        await store.append_logs([new_line(1)])
        await store.lead("a", 10.0, NOW)
        before = await snapshot(store)
        rest = [await store.clusters(), await store.keys(), await store.logs("task-000001")]
        history = await store.heartbeat_history("node-001", 0.0, 10)
        await store.aclose()
        store = await self.open_store(home)
        assert await snapshot(store) == before
        assert_counted(await snapshot(store))
        assert [await store.clusters(), await store.keys(), await store.logs("task-000001")] == rest
        assert await store.heartbeat_history("node-001", 0.0, 10) == history
        with pytest.raises(IdempotencyError):
            await store.submit([Submission(task=new_task(21), idempotency_key="key", body_hash="b")], NOW)
        await store.aclose()

    async def test_ids_and_fences_go_on(self, home: Path) -> None:
        """Above all that were ever given."""
        fences, events, lines = [], [], []
        for step in range(3):
            store = await self.open_store(home)
            lead = await store.lead(f"master-{step}", 10.0, NOW + 20 * step)
            assert lead is not None
            fences.append(lead.fence)
            await store.append_events([new_event()] * 2)
            events += [event.id for event in await all_events(store)]
            await store.append_logs([new_line(1)])
            lines += [line.id for line in await store.logs("task-000001")]
            await store.prune(Retention(events=NOW + 1, logs=NOW + 1), 100)
            await store.aclose()
        for numbers in (fences, events, lines):
            assert numbers == sorted(set(numbers))

    async def test_a_lead_outlives_the_store(self, home: Path) -> None:
        """Whoever opens it next waits until it has run out."""
        store = await self.open_store(home)
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        await store.aclose()
        store = await self.open_store(home)
        assert await store.lead("b", 10.0, NOW + 5) is None
        again = await store.lead("a", 10.0, NOW + 5)
        assert again is not None
        assert again.fence == lead.fence
        await store.aclose()
