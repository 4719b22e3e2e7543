"""Samples, and means over heartbeats."""

from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import NotLeaderError
from crawlmesh.model.query import Retention
from crawlmesh.model.sample import CLUSTER_SERIES, Sample, node_series, task_series
from crawlmesh.model.task import TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_nodes,
    add_tasks,
    heartbeat,
    new_node,
    new_task,
)

BEGIN = 1_700_000_000.0  # of a step of any length that samples have


def new_sample(number: int = 0, step: int = 5, series: str = CLUSTER_SERIES, **means: Any) -> Sample:
    """A sample; moments grow with the number."""
    return Sample(series=series, step=step, at=BEGIN + number * step, seconds=4.9, means=means)


class Samples(ControlStoreCase):
    """`keep_samples` and `samples`."""

    async def test_samples_from_a_moment_on(self, store: ControlStore) -> None:
        """Oldest first, up to a limit, of one series and step."""
        kept = [new_sample(number, pages=number / 3, queued=None) for number in range(10)]
        others = [new_sample(3, 120, pages=1.0), new_sample(4, series=task_series("t"), pages=2.0)]
        await store.keep_samples([*reversed(kept), *others])
        assert await store.samples(CLUSTER_SERIES, 5, BEGIN + 20, 3) == kept[4:7]
        assert await store.samples(CLUSTER_SERIES, 5, 0.0, 100) == kept
        assert await store.samples(CLUSTER_SERIES, 120, 0.0, 100) == others[:1]
        assert await store.samples(task_series("t"), 5, 0.0, 100) == others[1:]
        assert await store.samples("nobody", 5, 0.0, 100) == []

    async def test_a_sample_is_replaced(self, store: ControlStore) -> None:
        """It is known by its series, its step and its moment; the last one of a call counts."""
        await store.keep_samples([])
        await store.keep_samples([new_sample(0, pages=1.0), new_sample(1, pages=1.0)])
        await store.keep_samples([new_sample(1, pages=2.0), new_sample(1, pages=3.0, bytes=0.1)])
        expected = [new_sample(0, pages=1.0), new_sample(1, pages=3.0, bytes=0.1)]
        assert await store.samples(CLUSTER_SERIES, 5, 0.0, 100) == expected

    async def test_a_former_leader_keeps_no_sample(self, store: ControlStore) -> None:
        """Another samples by now."""
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        await store.keep_samples([new_sample()], leader_fence=lead.fence, now=NOW + 9)
        with pytest.raises(NotLeaderError):
            await store.keep_samples([new_sample(1)], leader_fence=lead.fence, now=NOW + 10)
        assert await store.samples(CLUSTER_SERIES, 5, 0.0, 100) == [new_sample()]

    async def test_samples_go_by_their_step_and_moment(self, store: ControlStore) -> None:
        """At most the limit of each step, oldest first."""
        fine = [new_sample(number) for number in range(6)]
        coarse = [new_sample(number, 120) for number in range(6)]
        await store.keep_samples([*fine, *coarse])
        retention = Retention(samples={5: BEGIN + 20, 120: BEGIN + 120})
        assert [await store.prune(retention, 3) for _ in range(3)] == [4, 1, 0]
        assert await store.samples(CLUSTER_SERIES, 5, 0.0, 100) == fine[4:]
        assert await store.samples(CLUSTER_SERIES, 120, 0.0, 100) == coarse[1:]

    async def test_samples_go_with_their_task(self, store: ControlStore) -> None:
        """Those of others stay."""
        over = {"status": TaskStatus.COMPLETED, "completed_at": NOW, "open_places": 0}
        await add_tasks(store, new_task(1, **over), new_task(2))
        series = [task_series(new_task(number).id) for number in (1, 2)]
        await store.keep_samples([new_sample(series=each, pages=1.0) for each in series])
        assert await store.prune(Retention(tasks=NOW + 1), 100) == 1
        assert await store.samples(series[0], 5, 0.0, 100) == []
        assert len(await store.samples(series[1], 5, 0.0, 100)) == 1

    async def test_samples_outlive_the_process(self, tmp_path: Path) -> None:
        """The next leader goes on."""
        if not self.durable:
            pytest.skip("this store keeps nothing when it is closed")
        store = await self.open_store(tmp_path)
        await store.keep_samples([new_sample(pages=1 / 3)])
        await store.aclose()
        again = await self.open_store(tmp_path)
        assert await again.samples(CLUSTER_SERIES, 5, 0.0, 10) == [new_sample(pages=1 / 3)]
        await again.aclose()


class HeartbeatMeans(ControlStoreCase):
    """`heartbeat_means`."""

    async def test_means_over_steps(self, store: ControlStore) -> None:
        """What was not told is left out, and so are steps in which nothing was."""
        await add_nodes(store, new_node(1), new_node(2))
        first = {"cpu_usage": 0.2, "memory_usage": 0.5, "network_received": 1e6, "other": 9.0}
        second = {"cpu_usage": 0.4, "pages": 12.0, "network_sent": 10.0, "disk_usage": 0.9}
        await store.record_heartbeats(
            [
                heartbeat(1, BEGIN + 1, usage=first, load=0.25),
                heartbeat(1, BEGIN + 4.5, usage=second, load=0.75, active_tasks=("a", "b")),
                heartbeat(1, BEGIN + 15, usage={}, load=1.0, active_tasks=("a",)),
                heartbeat(2, BEGIN + 5, usage=first),
            ]
        )
        found = await store.heartbeat_means("node-001", 5, BEGIN, 10)
        assert [(each.series, each.step, each.at) for each in found] == [
            (node_series("node-001"), 5, BEGIN),
            (node_series("node-001"), 5, BEGIN + 15),
        ]
        assert found[0].means == pytest.approx(
            {
                "cpu": 0.3,
                "memory": 0.5,
                "received": 1e6,
                "sent": 10.0,
                "disk": 0.9,
                "pages": 12.0,
                "load": 0.5,
                "active_tasks": 1.0,
            }
        )
        assert found[1].means == {"load": 1.0, "active_tasks": 1.0}

    async def test_means_from_a_moment_on(self, store: ControlStore) -> None:
        """Oldest first, up to a limit."""
        await add_nodes(store, new_node(1))
        begin = BEGIN // 3600 * 3600
        await store.record_heartbeats([heartbeat(1, begin + number * 1800) for number in range(10)])
        found = await store.heartbeat_means("node-001", 3600, begin + 3600, 3)
        assert [each.at for each in found] == [begin + 3600 * number for number in (1, 2, 3)]
        assert await store.heartbeat_means("nobody", 3600, 0.0, 3) == []
