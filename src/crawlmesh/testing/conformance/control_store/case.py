"""What every part of the suite stands on: how a store is opened, and short ways to fill and read it."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest_asyncio

from crawlmesh.model.access import ApiKey
from crawlmesh.model.change import Leadership, NodeChange, TaskChange
from crawlmesh.model.cluster import Cluster
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.node import Heartbeat, Node, NodeStatus
from crawlmesh.model.query import EventQuery, NodeQuery, Submission, TaskQuery
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.ports.control_store import ControlStore

NOW = 1_700_000_000.123456  # more digits than some databases keep in JSON


class ControlStoreCase:
    """Base of all parts. An adapter overrides `open_store`, and `durable` where it can."""

    durable: ClassVar[bool] = False  # what was written is there when the same folder is opened again

    async def open_store(self, folder: Path) -> ControlStore:
        """Open a store with its tables; its files, if it has any, lie in `folder`."""
        raise NotImplementedError

    @pytest_asyncio.fixture
    async def store(self, tmp_path: Path) -> AsyncIterator[ControlStore]:
        """An empty store."""
        store = await self.open_store(tmp_path)
        yield store
        await store.aclose()


def new_task(number: int = 1, **fields: Any) -> Task:
    """A task that waits for a node. Ids and moments grow with the number."""
    given: dict[str, Any] = {
        "id": f"task-{number:06}",
        "task_type": "web_crawl",
        "parameters": {"url": f"https://example.com/{number}"},
        "queue": "plain",
        "created_at": NOW + number,
        "updated_at": NOW + number,
    }
    return Task(**(given | fields))


def new_event(type_: EventType = EventType.TASK_CREATED, at: float = NOW, **fields: Any) -> Event:
    """An event."""
    return Event(type=type_, at=at, **fields)


def new_node(number: int = 1, **fields: Any) -> Node:
    """A node that was never heard of."""
    given: dict[str, Any] = {
        "id": f"node-{number:03}",
        "identity": f"machine-{number}",
        "name": f"Machine {number}",
        "created_at": NOW + number,
        "updated_at": NOW + number,
    }
    return Node(**(given | fields))


def new_cluster(name: str = "one", /, **fields: Any) -> Cluster:
    """A cluster."""
    return Cluster(**({"id": f"cluster-{name}", "name": name} | fields))


def new_key(number: int = 1, **fields: Any) -> ApiKey:
    """A key."""
    given = {"id": f"key-{number}", "name": f"key {number}", "role": "viewer", "hash": f"{number:064x}"}
    return msgspec.convert(given | {"created_at": NOW + number} | fields, ApiKey)


def heartbeat(number: int = 1, at: float = NOW, **fields: Any) -> Heartbeat:
    """What the node with this number says."""
    return Heartbeat(node_id=f"node-{number:03}", at=at, **fields)


def new_execution(task: Task, node_id: str = "node-001", number: int = 1, **fields: Any) -> Execution:
    """A go at a task. Ids and moments grow with the number."""
    given: dict[str, Any] = {
        "id": f"execution-{number:06}",
        "task_id": task.id,
        "node_id": node_id,
        "fence": task.fence + 1,
        "start_time": NOW + number,
    }
    return Execution(**(given | fields))


def changed(task: Task, *executions: Execution, events: Sequence[Event] = (), **fields: Any) -> TaskChange:
    """The next change of a task."""
    after = msgspec.structs.replace(task, fence=task.fence + 1, **fields)
    return TaskChange(task=after, executions=executions, events=tuple(events))


def placed(task: Task, node_id: str = "node-001", number: int = 1, **fields: Any) -> TaskChange:
    """A task put on a node."""
    return changed(
        task,
        new_execution(task, node_id, number, **fields),
        status=TaskStatus.ASSIGNED,
        open_places=0,
        assigned_node=node_id,
        assigned_at=NOW + number,
        updated_at=NOW + number,
    )


def ended(change: TaskChange, **fields: Any) -> TaskChange:
    """The end of a task that was placed."""
    (execution,) = change.executions
    over = msgspec.structs.replace(execution, status=ExecutionStatus.COMPLETED, end_time=NOW + 50)
    after: dict[str, Any] = {"status": TaskStatus.COMPLETED, "completed_at": NOW + 50}
    return changed(change.task, over, **(after | fields))


def changed_node(node: Node, *, events: Sequence[Event] = (), **fields: Any) -> NodeChange:
    """The next change of a node."""
    after = msgspec.structs.replace(node, fence=node.fence + 1, **fields)
    return NodeChange(node=after, events=tuple(events))


async def add_tasks(store: ControlStore, *tasks: Task) -> None:
    """Submit tasks that are all new."""
    assert await store.submit([Submission(task=task) for task in tasks], NOW) == list(tasks)


async def add_nodes(store: ControlStore, *nodes: Node) -> None:
    """Add nodes that are all new."""
    assert await store.change_nodes([NodeChange(node=node) for node in nodes]) == [True] * len(nodes)


async def make(store: ControlStore, *changes: TaskChange) -> None:
    """Change tasks and assert that all is taken."""
    assert await store.change_tasks(changes) == [True] * len(changes)


async def the_task(store: ControlStore, task_id: str = "task-000001") -> Task:
    """The task of this id."""
    (task,) = await store.tasks_by_id([task_id])
    return task


async def all_events(store: ControlStore) -> list[Event]:
    """All events."""
    return await store.events(EventQuery(limit=100_000))


async def all_tasks(store: ControlStore, limit: int = 1000, **conditions: Any) -> list[Task]:
    """All tasks that meet conditions, page by page."""
    query = TaskQuery(limit=limit, **conditions)
    tasks: list[Task] = []
    while True:
        page = await store.list_tasks(query)
        assert len(page.tasks) <= limit
        tasks += page.tasks
        if page.cursor is None:
            return tasks
        assert len(page.tasks) == limit
        query = msgspec.structs.replace(query, cursor=page.cursor)


async def all_nodes(store: ControlStore, limit: int = 1000, **conditions: Any) -> list[Node]:
    """All nodes that meet conditions, page by page."""
    query = NodeQuery(limit=limit, **conditions)
    nodes: list[Node] = []
    while True:
        page = await store.list_nodes(query)
        nodes += page.nodes
        if page.cursor is None:
            return nodes
        assert len(page.nodes) == limit
        query = msgspec.structs.replace(query, cursor=page.cursor)


class Snapshot(msgspec.Struct, frozen=True):
    """What the port shows of a store."""

    tasks: list[Task]
    executions: list[Execution]
    nodes: list[Node]
    events: list[Event]
    by_status: dict[str, int]
    queues: dict[str, list[str]]
    loads: dict[str, int]
    heads: dict[str, int]
    leader: Leadership | None


async def snapshot(store: ControlStore) -> Snapshot:
    """Everything that changes of tasks and nodes can touch."""
    tasks = await all_tasks(store, order="created_at")
    heads = {head.queue: head.tasks for head in await store.queue_heads()}
    queues = {queue: [task.id for task in await store.open_tasks(queue, 10_000)] for queue in heads}
    executions = [each for task in tasks for each in await store.task_executions(task.id)]
    return Snapshot(
        tasks,
        executions,
        await all_nodes(store),
        await all_events(store),
        {status: number for status, number in (await store.count_tasks()).by_status.items() if number},
        queues,
        await store.node_loads(),
        heads,
        await store.leader(),
    )


def assert_counted(found: Snapshot) -> None:
    """Counters are what counting would find."""
    statuses = [task.status.value for task in found.tasks]
    assert found.by_status == {status: statuses.count(status) for status in set(statuses)}
    open_in = [task.queue for task in found.tasks if task.open_places > 0]
    assert found.heads == {queue: open_in.count(queue) for queue in set(open_in)}
    assert {queue: len(ids) for queue, ids in found.queues.items()} == found.heads
    running = [each.node_id for each in found.executions if each.status is ExecutionStatus.RUNNING]
    assert found.loads == {node_id: running.count(node_id) for node_id in set(running)}


SILENT = (NodeStatus.ONLINE, NodeStatus.DRAINING)
