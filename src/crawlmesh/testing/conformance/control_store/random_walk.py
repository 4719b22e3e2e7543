"""A seeded random walk over two stores: one to test, and a reference that must show the same."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from crawlmesh.errors import CrawlmeshError
from crawlmesh.model.change import NodeChange, TaskChange
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.node import HealthStatus, NodeHealth, NodeStatus
from crawlmesh.model.query import EventQuery, Retention, Submission
from crawlmesh.model.sample import Sample, task_series
from crawlmesh.model.task import ENDED, Task, TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    assert_counted,
    heartbeat,
    new_cluster,
    new_event,
    new_execution,
    new_node,
    new_task,
    snapshot,
)
from crawlmesh.testing.conformance.control_store.journal import new_line

Call = Callable[[ControlStore], Awaitable[Any]]


class Walk:
    """One walk. Every method named `step_…` makes one kind of call, the same on both stores."""

    def __init__(self, store: ControlStore, reference: ControlStore, seed: int) -> None:
        self._stores = (store, reference)
        self._random = random.Random(seed)
        self._now = NOW
        self._numbers = 0
        self._leaders = 0

    async def run(self, steps: int) -> None:
        """Take steps, comparing what each brings, and everything now and then."""
        names = [name for name in dir(self) if name.startswith("step_")]
        weights = [5 if name == "step_change" else 3 if name == "step_submit" else 1 for name in names]
        for step in range(steps):
            self._now += self._random.random()
            await getattr(self, self._random.choices(names, weights)[0])()
            if step % 20 == 19:
                await self.compare()

    async def compare(self) -> None:
        """Both show the same, and the counters are right."""
        found, expected = [await snapshot(store) for store in self._stores]
        assert found == expected
        assert_counted(found)
        await self._both(lambda store: store.overdue_executions(self._now, 5))
        await self._both(lambda store: store.due_tasks(self._now, 5))
        await self._both(lambda store: store.silent_nodes(list(NodeStatus)[:4], self._now - 5, 5))
        for number in range(4):
            await self._compare_parts(f"node-{number:03}", self._some_task_id())

    async def _compare_parts(self, node_id: str, task_id: str) -> None:
        await self._both(lambda store: store.node_assignments(node_id))
        await self._both(lambda store: store.node_executions(node_id))
        await self._both(lambda store: store.executions_of_node(node_id, 5))
        await self._both(lambda store: store.heartbeat_history(node_id, NOW + 5, 9))
        await self._both(lambda store: store.events(EventQuery(node_id=node_id)))
        await self._both(lambda store: store.logs(task_id))
        await self._both(lambda store: store.samples(task_series(task_id), 5, NOW + 5, 9))

    async def step_submit(self) -> None:
        """New tasks, some of them seen before."""
        submissions = [
            Submission(
                task=self._new_task(),
                events=(new_event(at=self._now),),
                idempotency_key=self._maybe(f"key-{self._random.randrange(9)}"),
                body_hash=self._random.choice(("a", "a", "a", "b")),
                key_life=self._random.uniform(1.0, 30.0),
            )
            for _ in range(self._random.randint(0, 6))
        ]
        await self._both(lambda store: store.submit(submissions, self._now))

    async def step_samples(self) -> None:
        """Samples of tasks, some of them again, some under a leader's fence."""
        samples = [
            Sample(
                series=task_series(self._some_task_id()),
                step=5,
                at=NOW + 5.0 * self._random.randrange(9),
                seconds=5.0,
                means={"pages": self._random.random(), "queued": self._maybe(7.0)},
            )
            for _ in range(self._random.randint(0, 6))
        ]
        fence = self._maybe(self._random.randint(max(0, self._leaders - 1), self._leaders))
        await self._both(lambda store: store.keep_samples(samples, leader_fence=fence, now=self._now))

    async def step_change(self) -> None:
        """Changes of tasks, some of them stale, some under a leader's fence."""
        changes = [await self._change() for _ in range(self._random.randint(1, 8))]
        fence = self._maybe(self._random.randint(max(0, self._leaders - 1), self._leaders))
        await self._both(lambda store: store.change_tasks(changes, leader_fence=fence, now=self._now))

    async def step_nodes(self) -> None:
        """New nodes and changes of known ones."""
        changes = []
        for _ in range(self._random.randint(1, 3)):
            number = self._random.randrange(4)
            known = await self._stores[1].node(f"node-{number:03}")
            fields = {
                "identity": f"machine-{self._random.choice((number, number, 0))}",
                "status": self._random.choice(list(NodeStatus)),
                "fence": (0 if known is None else known.fence) + self._random.choice((1, 1, 1, 2)),
                "updated_at": self._now,
                "session": self._random.choice((1, 1, 2)),
                "last_heartbeat": self._maybe(self._now),
                "load": self._random.random(),
            }
            changes.append(NodeChange(node=new_node(number, **fields), events=(new_event(),)))
        await self._both(lambda store: store.change_nodes(changes))

    async def step_heartbeat(self) -> None:
        """Heartbeats and health of known and unknown nodes."""
        said = [
            heartbeat(
                self._random.randrange(5), self._now - self._random.randrange(3), load=self._random.random()
            )
            for _ in range(3)
        ]
        health = NodeHealth(
            self._random.choice(list(HealthStatus)), {"cpu": self._random.random()}, self._now
        )
        event = new_event(EventType.NODE_HEARTBEAT, node_id="node-001")
        await self._both(lambda store: store.record_heartbeats(said, [event]))
        await self._both(lambda store: store.record_health([(said[0].node_id, health)]))

    async def step_lead(self) -> None:
        """Somebody wants to lead, or no longer."""
        holder = self._random.choice("abc")
        lead = await self._both(lambda store: store.lead(holder, 4.0, self._now))
        if lead is not None:
            self._leaders = lead.fence
        if self._random.random() < 0.2:
            await self._both(lambda store: store.resign(holder))

    async def step_clusters(self) -> None:
        """Clusters come and go, some in conflict."""
        name = self._random.choice("ab")
        cluster = new_cluster(self._random.choice("ab"), name=name)
        await self._both(lambda store: store.save_cluster(cluster))
        await self._both(lambda store: store.delete_cluster(f"cluster-{name}"))
        await self._both(lambda store: store.clusters())

    async def step_log(self) -> None:
        """Lines of logs."""
        lines = [new_line(number, self._some_task_id()) for number in range(3)]
        await self._both(lambda store: store.append_logs(lines))

    async def step_prune(self) -> None:
        """Old things go."""
        past = self._now - 15
        retention = Retention(
            tasks=past, events=past, heartbeats=past, idempotency_keys=self._now, samples={5: past}
        )
        await self._both(lambda store: store.prune(retention, 10_000))

    async def step_delete_node(self) -> None:
        """A node goes."""
        node_id = f"node-{self._random.randrange(4):03}"
        await self._both(lambda store: store.delete_node(node_id, [new_event(node_id=node_id)]))

    async def _both(self, call: Call) -> Any:
        found, expected = [await _outcome(call, store) for store in self._stores]
        assert found == expected
        return expected

    async def _change(self) -> TaskChange:
        known = await self._stores[1].tasks_by_id([self._some_task_id()])
        task = known[0] if known else self._new_task()
        running = await self._stores[1].running_executions([task.id])
        executions = [self._ended(execution) for execution in running if self._random.random() < 0.5]
        if self._random.random() < 0.5:
            executions.append(self._new_execution(task))
        status = self._random.choice(list(TaskStatus))
        after = msgspec.structs.replace(
            task,
            fence=(task.fence if known else 0) + self._random.choice((1, 1, 1, 1, 0, 2)),
            status=status,
            priority=self._random.choice((task.priority, task.priority, 1, 10)),
            open_places=self._random.choice((0, 1, 2)),
            updated_at=self._now,
            not_before=self._now + self._random.randrange(3),
            completed_at=self._now if status in ENDED else None,
            retry_count=self._random.randrange(3),
        )
        events = (new_event(EventType.TASK_STATUS_CHANGED, self._now, task_id=task.id),)
        return TaskChange(task=after, executions=tuple(executions), events=events)

    def _new_task(self) -> Task:
        return new_task(
            self._number(),
            queue=self._random.choice(("plain", "gpu", "far")),
            priority=self._random.randint(1, 10),
            created_at=self._now,
            updated_at=self._now,
            dedup_key=self._maybe(f"url-{self._random.randrange(6)}"),
        )

    def _new_execution(self, task: Task) -> Execution:
        deadline = self._maybe(self._now + self._random.random())
        return new_execution(
            task,
            f"node-{self._random.randrange(4):03}",
            self._number(),
            start_time=self._now,
            deadline=deadline,
        )

    def _ended(self, execution: Execution) -> Execution:
        status = self._random.choice(list(ExecutionStatus))
        return msgspec.structs.replace(execution, status=status, end_time=self._now)

    def _some_task_id(self) -> str:
        return f"task-{self._random.randint(0, self._numbers):06}"

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    def _maybe(self, value: Any) -> Any:
        return value if self._random.random() < 0.3 else None


async def _outcome(call: Call, store: ControlStore) -> Any:
    """What a call brings, or the kind of its error."""
    try:
        return await call(store)
    except CrawlmeshError as error:
        return type(error)


class RandomWalk(ControlStoreCase):
    """The store shows what the reference shows."""

    def reference(self) -> ControlStore:
        """A store that is known to be right: the one in memory, made by the adapter's test."""
        raise NotImplementedError

    @pytest.mark.parametrize("seed", range(8))
    async def test_random_walk(self, store: ControlStore, seed: int) -> None:
        """A seed that fails is worth a test of its own."""
        walk = Walk(store, self.reference(), seed)
        await walk.run(200)
        await walk.compare()
