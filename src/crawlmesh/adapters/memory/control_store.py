"""A control store in the process's memory."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.memory.control.executions import ExecutionTable
from crawlmesh.adapters.memory.control.journal import EventLog, LineLog
from crawlmesh.adapters.memory.control.leading import LeaderSeat
from crawlmesh.adapters.memory.control.nodes import NodeTable
from crawlmesh.adapters.memory.control.samples import SampleTable, heartbeat_means
from crawlmesh.adapters.memory.control.submitting import UsedKeys
from crawlmesh.adapters.memory.control.tasks import TaskTable
from crawlmesh.adapters.topics import Topics
from crawlmesh.errors import ConflictError
from crawlmesh.model.access import ApiKey
from crawlmesh.model.change import Leadership, NodeChange, TaskChange
from crawlmesh.model.cluster import Cluster
from crawlmesh.model.event import Event
from crawlmesh.model.execution import Assignment, Execution, RunningExecution
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.node import Heartbeat, Node, NodeHealth, NodeStatus
from crawlmesh.model.query import (
    EventQuery,
    NodeGroup,
    NodePage,
    NodeQuery,
    QueueHead,
    Retention,
    Submission,
    TaskCounts,
    TaskPage,
    TaskQuery,
)
from crawlmesh.model.sample import Sample
from crawlmesh.model.task import Task


class MemoryControlStore:
    """Implements `crawlmesh.ports.control_store.ControlStore`. No call awaits, so each is atomic."""

    shared = False

    def __init__(self) -> None:
        self._tasks = TaskTable()
        self._used_keys = UsedKeys(self._tasks)
        self._executions = ExecutionTable()
        self._nodes = NodeTable()
        self._clusters: dict[str, Cluster] = {}
        self._keys: dict[str, ApiKey] = {}
        self._events = EventLog()
        self._lines = LineLog()
        self._positions: dict[str, int] = {}
        self._samples = SampleTable()
        self._seat = LeaderSeat()
        self._topics = Topics()

    # -- tasks -----------------------------------------------------------------------------------

    async def submit(self, submissions: Sequence[Submission], now: float) -> list[Task]:
        """Store new tasks; one task each: the new one, or the one it repeats."""
        self._used_keys.check(submissions, now)
        told: set[str] = set()
        tasks = [self._submit(submission, now, told) for submission in submissions]
        self._topics.tell(told)
        return tasks

    async def change_tasks(
        self, changes: Sequence[TaskChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Change tasks, their executions, and tell it; one bool each."""
        self._seat.check(leader_fence, now)
        told: set[str] = set()
        taken = [self._change_task(change, told) for change in changes]
        self._topics.tell(told)
        return taken

    async def tasks_by_id(self, ids: Sequence[str]) -> list[Task]:
        """The tasks that exist, in no order."""
        return [self._tasks.rows[task_id] for task_id in set(ids) if task_id in self._tasks.rows]

    async def list_tasks(self, query: TaskQuery) -> TaskPage:
        """A page of tasks."""
        return self._tasks.page(query)

    async def count_tasks(self) -> TaskCounts:
        """How many tasks are in which status."""
        return self._tasks.counts()

    async def queue_heads(self) -> list[QueueHead]:
        """The queues that have tasks with open places."""
        return self._tasks.heads()

    async def open_tasks(self, queue: str, limit: int, skip: Sequence[str] = ()) -> list[Task]:
        """Tasks of a queue with open places: highest priority first, then oldest."""
        return self._tasks.open(queue, limit, frozenset(skip))

    async def due_tasks(self, now: float, limit: int) -> list[Task]:
        """Waiting tasks whose time has come, longest due first."""
        return self._tasks.due(now, limit)

    # -- executions ------------------------------------------------------------------------------

    async def assignments(self, ids: Sequence[str]) -> list[Assignment]:
        """Executions by id, each with its task."""
        executions, tasks = self._executions.rows, self._tasks.rows
        found = [executions[each] for each in dict.fromkeys(ids) if each in executions]
        return [Assignment(execution, tasks[execution.task_id]) for execution in found]

    async def node_assignments(self, node_id: str) -> list[Assignment]:
        """The running executions of a node, oldest first."""
        return [self._assignment(execution) for execution in self._executions.running_of_node(node_id)]

    async def node_executions(self, node_id: str) -> list[RunningExecution]:
        """The running executions of a node in short, oldest first."""
        return [RunningExecution(each.id, each.stop) for each in self._executions.running_of_node(node_id)]

    async def task_executions(self, task_id: str) -> list[Execution]:
        """All executions of a task, oldest first."""
        return self._executions.of_task(task_id)

    async def running_executions(self, task_ids: Sequence[str]) -> list[Execution]:
        """The running executions of tasks, oldest first."""
        return self._executions.running_of_tasks(task_ids)

    async def overdue_executions(self, now: float, limit: int) -> list[Assignment]:
        """Running executions whose deadline has passed, longest overdue first."""
        return [self._assignment(execution) for execution in self._executions.overdue(now, limit)]

    async def executions_of_node(self, node_id: str, limit: int, before: str = "") -> list[Execution]:
        """Executions of a node, newest first."""
        return self._executions.of_node(node_id, limit, before)

    async def node_loads(self) -> dict[str, int]:
        """How many executions run on each node that has any."""
        return self._executions.loads()

    # -- nodes -----------------------------------------------------------------------------------

    async def change_nodes(
        self, changes: Sequence[NodeChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Add or change nodes; one bool each."""
        self._seat.check(leader_fence, now)
        taken = []
        for change in changes:
            taken.append(self._nodes.change(change.node))
            if taken[-1]:
                self._append_events(change.events)
                self._topics.tell((f"node:{change.node.id}",))
        return taken

    async def node(self, node_id: str) -> Node | None:
        """One node."""
        return self._nodes.rows.get(node_id)

    async def node_by_identity(self, identity: str) -> Node | None:
        """The node that registered with this identity."""
        return self._nodes.by_identity(identity)

    async def list_nodes(self, query: NodeQuery) -> NodePage:
        """A page of nodes."""
        return self._nodes.page(query)

    async def node_groups(self) -> list[NodeGroup]:
        """How many nodes are in which status and health, and how they fare."""
        return self._nodes.groups()

    async def nodes_changed_since(self, moment: float) -> list[Node]:
        """Nodes whose row changed at or after the moment."""
        return list(self._nodes.rows.values()) if moment == 0.0 else self._nodes.changed_since(moment)

    async def silent_nodes(self, statuses: Sequence[NodeStatus], before: float, limit: int) -> list[Node]:
        """Nodes that were last heard of before the moment, longest first."""
        return self._nodes.silent(statuses, before, limit)

    async def record_heartbeats(
        self, heartbeats: Sequence[Heartbeat], events: Sequence[Event] = (), *, history: bool = True
    ) -> None:
        """Keep what nodes said, as their latest and in their history."""
        for heartbeat in heartbeats:
            self._nodes.hear(heartbeat, history=history)
        self._append_events(events)

    async def record_health(self, found: Sequence[tuple[str, NodeHealth]]) -> None:
        """Keep what health checks found."""
        for node_id, health in found:
            self._nodes.record_health(node_id, health)

    async def heartbeat_history(self, node_id: str, since: float, limit: int) -> list[Heartbeat]:
        """Heartbeats of a node from a moment on, oldest first."""
        return self._nodes.history(node_id, since, limit)

    async def heartbeats_of(self, node_ids: Sequence[str], since: float, limit: int) -> list[Heartbeat]:
        """Heartbeats of many nodes from a moment on, at most `limit` of each."""
        return [each for node_id in set(node_ids) for each in self._nodes.history(node_id, since, limit)]

    async def heartbeat_means(self, node_id: str, step: int, since: float, limit: int) -> list[Sample]:
        """What a node told from a moment on, as means over steps."""
        return heartbeat_means(node_id, self._nodes.since(node_id, since), step)[:limit]

    async def delete_node(self, node_id: str, events: Sequence[Event] = ()) -> bool:
        """Forget a node and its heartbeats."""
        known = self._nodes.remove(node_id)
        if known:
            self._append_events(events)
        return known

    # -- clusters and keys -----------------------------------------------------------------------

    async def save_cluster(self, cluster: Cluster) -> None:
        """Add or replace a cluster."""
        for other in self._clusters.values():
            taken = (other.project_id, other.name) == (cluster.project_id, cluster.name)
            if taken and other.id != cluster.id:
                raise ConflictError(
                    f"The project {cluster.project_id!r} has a cluster {cluster.name!r} already.",
                    "name",
                )
        self._clusters[cluster.id] = cluster

    async def clusters(self) -> list[Cluster]:
        """All clusters, by name."""
        return sorted(self._clusters.values(), key=lambda cluster: (cluster.name, cluster.id))

    async def delete_cluster(self, cluster_id: str) -> bool:
        """Forget a cluster that has no nodes."""
        if cluster_id not in self._clusters:
            return False
        if number := self._nodes.in_cluster(cluster_id):
            raise ConflictError(f"The cluster {cluster_id!r} has {number} nodes; move or remove them first.")
        del self._clusters[cluster_id]
        return True

    async def save_key(self, key: ApiKey) -> None:
        """Add or replace a key."""
        self._keys[key.id] = key

    async def add_key(self, key: ApiKey) -> bool:
        """Add a key; False where its id is taken."""
        return self._keys.setdefault(key.id, key) is key

    async def touch_key(self, key_id: str, now: float) -> bool:
        """Note that a key was used; False where it is unknown."""
        key = self._keys.get(key_id)
        if key is None:
            return False
        self._keys[key_id] = msgspec.structs.replace(key, last_used_at=now)
        return True

    async def keys(self) -> list[ApiKey]:
        """All keys and sessions, oldest first."""
        return sorted(self._keys.values(), key=lambda key: (key.created_at, key.id))

    async def delete_key(self, key_id: str) -> bool:
        """Forget a key and its sessions, or a session."""
        for session_id in [key.id for key in self._keys.values() if key.session_of == key_id]:
            del self._keys[session_id]
        return self._keys.pop(key_id, None) is not None

    # -- events and logs -------------------------------------------------------------------------

    async def append_events(self, events: Sequence[Event]) -> None:
        """Tell what happened."""
        self._append_events(events)

    async def events(self, query: EventQuery) -> list[Event]:
        """Events between two ids."""
        return self._events.read(query)

    async def last_event_id(self) -> int:
        """The highest id of an event so far."""
        return self._events.last_id

    async def position(self, name: str) -> int:
        """How far a reader has come."""
        return self._positions.get(name, 0)

    async def keep_position(
        self, name: str, number: int, *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """Remember how far a reader has come."""
        self._seat.check(leader_fence, now)
        self._positions[name] = number

    async def append_logs(self, lines: Sequence[LogLine]) -> None:
        """Keep lines of logs."""
        self._topics.tell(f"logs:{task_id}" for task_id in self._lines.append(lines))

    async def logs(
        self, task_id: str, *, execution_id: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[LogLine]:
        """Lines with an id above `after`, oldest first."""
        return self._lines.read(task_id, execution_id, after, limit)

    # -- samples ---------------------------------------------------------------------------------

    async def keep_samples(
        self, samples: Sequence[Sample], *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """Add or replace samples."""
        self._seat.check(leader_fence, now)
        self._samples.keep(samples)

    async def samples(self, series: str, step: int, since: float, limit: int) -> list[Sample]:
        """Samples of a series from a moment on, oldest first."""
        return self._samples.read(series, step, since, limit)

    # -- leading ---------------------------------------------------------------------------------

    async def lead(self, holder: str, duration: float, now: float) -> Leadership | None:
        """Take or renew the lead."""
        return self._seat.take(holder, duration, now)

    async def leader(self) -> Leadership | None:
        """Who leads, or led last."""
        return self._seat.taken

    async def resign(self, holder: str) -> None:
        """Give up the lead."""
        self._seat.leave(holder)

    # -- waiting and care ------------------------------------------------------------------------

    def mark(self, topic: str) -> int:
        """How often something was told under a topic."""
        return self._topics.mark(topic)

    async def wait(self, topic: str, seen: int, timeout: float) -> int:
        """Return as soon as the mark is above `seen`, or after the time-out."""
        return await self._topics.wait(topic, seen, timeout)

    async def prune(self, retention: Retention, limit: int) -> int:
        """Delete what is older than it must be kept."""
        deleted = 0
        if retention.tasks is not None:
            deleted += self._prune_tasks(retention.tasks, limit)
        if retention.events is not None:
            deleted += self._events.prune(retention.events, limit)
        if retention.heartbeats is not None:
            deleted += self._nodes.prune_history(retention.heartbeats, limit)
        if retention.logs is not None:
            deleted += self._lines.prune(retention.logs, limit)
        if retention.idempotency_keys is not None:
            deleted += self._used_keys.prune(retention.idempotency_keys, limit)
        for step, moment in retention.samples.items():
            deleted += self._samples.prune(step, moment, limit)
        return deleted

    async def aclose(self) -> None:
        """Nothing to write; those who wait are woken."""
        self._topics.wake_all()

    def _submit(self, submission: Submission, now: float, told: set[str]) -> Task:
        task = self._used_keys.repeated(submission, now)
        if task is None:
            task = submission.task
            if self._tasks.put(task):
                told.add("tasks")
            if self._events.append(submission.events):
                told.add("events")
        self._used_keys.remember(submission, task.id, now)
        return task

    def _change_task(self, change: TaskChange, told: set[str]) -> bool:
        old = self._tasks.rows.get(change.task.id)
        if change.task.fence != (1 if old is None else old.fence + 1):
            return False
        if self._tasks.put(change.task):
            told.add("tasks")
        for execution in change.executions:
            if self._executions.put(execution):
                told.add("tasks")
            told.add(f"node:{execution.node_id}")
        if self._events.append(change.events):
            told.add("events")
        return True

    def _assignment(self, execution: Execution) -> Assignment:
        return Assignment(execution, self._tasks.rows[execution.task_id])

    def _append_events(self, events: Sequence[Event]) -> None:
        if self._events.append(events):
            self._topics.tell(("events",))

    def _prune_tasks(self, moment: float, limit: int) -> int:
        old = self._tasks.ended_before(moment, limit)
        for task_id in old:
            self._tasks.remove(task_id)
            self._executions.remove_of_task(task_id)
            self._lines.remove_of_task(task_id)
            self._samples.remove_of_task(task_id)
        return len(old)
