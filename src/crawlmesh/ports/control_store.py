"""The control store: tasks, executions, nodes, clusters, keys, events, logs and who leads."""

from collections.abc import Sequence
from typing import Protocol

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


class ControlStore(Protocol):
    """Keeps what the masters know. Decisions are made outside; the store makes them hold.

    Every call is atomic. Moments come from the caller. Calls may come at the same time, from several
    masters where the store is shared (`shared`).

    The rules, each covered by `crawlmesh.testing.conformance`:

    * A change of a task or a node is taken only where its fence follows that of the stored row; a
      refused change leaves no trace. In one call, each change stands for itself.
    * A call that names a leader's fence changes nothing and raises `NotLeaderError` unless that
      leader still leads at `now`.
    * Fences of leaders only grow, also over restarts.
    * Ids of events and log lines only grow, and a reader that goes on from the highest id it has seen
      misses none.
    * Counters are kept, not counted. Every list is paged by key and costs the same at any size.
    """

    shared: bool  # whether several masters may use it at once

    # -- tasks -----------------------------------------------------------------------------------

    async def submit(self, submissions: Sequence[Submission], now: float) -> list[Task]:
        """Store new tasks, with their events. One task each: the new one, or the one it repeats.

        A submission repeats an earlier one that has the same `idempotency_key` (for `key_life` seconds,
        raises `IdempotencyError` where the `body_hash` differs), or the same `task.dedup_key` where
        one is given and that task is neither failed, timed out nor cancelled.
        """
        ...

    async def change_tasks(
        self, changes: Sequence[TaskChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Change tasks, their executions, and tell it. One bool each: taken, or refused for its fence."""
        ...

    async def tasks_by_id(self, ids: Sequence[str]) -> list[Task]:
        """The tasks that exist, in no order."""
        ...

    async def list_tasks(self, query: TaskQuery) -> TaskPage:
        """A page of tasks."""
        ...

    async def count_tasks(self) -> TaskCounts:
        """How many tasks are in which status."""
        ...

    async def queue_heads(self) -> list[QueueHead]:
        """The queues that have tasks with open places, each with how many."""
        ...

    async def open_tasks(self, queue: str, limit: int, skip: Sequence[str] = ()) -> list[Task]:
        """Tasks of a queue with open places: highest priority first, then oldest. `skip` has ids."""
        ...

    async def due_tasks(self, now: float, limit: int) -> list[Task]:
        """Waiting tasks whose `not_before` has come, longest due first."""
        ...

    # -- executions ------------------------------------------------------------------------------

    async def assignments(self, ids: Sequence[str]) -> list[Assignment]:
        """Executions by id, each with its task, in no order; unknown ids are left out."""
        ...

    async def node_assignments(self, node_id: str) -> list[Assignment]:
        """The running executions of a node, oldest first."""
        ...

    async def node_executions(self, node_id: str) -> list[RunningExecution]:
        """The same as `node_assignments` in short: cheap, whatever the tasks carry."""
        ...

    async def task_executions(self, task_id: str) -> list[Execution]:
        """All executions of a task, oldest first."""
        ...

    async def running_executions(self, task_ids: Sequence[str]) -> list[Execution]:
        """The running executions of tasks, oldest first."""
        ...

    async def overdue_executions(self, now: float, limit: int) -> list[Assignment]:
        """Running executions whose `deadline` has passed, longest overdue first."""
        ...

    async def executions_of_node(self, node_id: str, limit: int, before: str = "") -> list[Execution]:
        """Executions of a node, newest first, from below the id `before` on. Ids grow with time."""
        ...

    async def node_loads(self) -> dict[str, int]:
        """How many executions run on each node that has any. Kept, not counted."""
        ...

    # -- nodes -----------------------------------------------------------------------------------

    async def change_nodes(
        self, changes: Sequence[NodeChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Add or change nodes. One bool each: taken, or refused (its fence, or a taken identity)."""
        ...

    async def node(self, node_id: str) -> Node | None:
        """One node."""
        ...

    async def node_by_identity(self, identity: str) -> Node | None:
        """The node that registered with this identity."""
        ...

    async def list_nodes(self, query: NodeQuery) -> NodePage:
        """A page of nodes."""
        ...

    async def node_groups(self) -> list[NodeGroup]:
        """How many nodes of each cluster are in which status and health, and how they fare, in no order."""
        ...

    async def nodes_changed_since(self, moment: float) -> list[Node]:
        """Nodes whose row changed at or after the moment, heartbeats included. 0: all nodes."""
        ...

    async def silent_nodes(self, statuses: Sequence[NodeStatus], before: float, limit: int) -> list[Node]:
        """Nodes in these statuses that were last heard of before the moment (or never), longest first."""
        ...

    async def record_heartbeats(
        self, heartbeats: Sequence[Heartbeat], events: Sequence[Event] = (), *, history: bool = True
    ) -> None:
        """Keep what nodes said, as their latest and in their history. Unknown nodes are left out.

        Without `history`: only as their latest.
        """
        ...

    async def record_health(self, found: Sequence[tuple[str, NodeHealth]]) -> None:
        """Keep what health checks found, by node id."""
        ...

    async def heartbeat_history(self, node_id: str, since: float, limit: int) -> list[Heartbeat]:
        """Heartbeats of a node from a moment on, oldest first."""
        ...

    async def heartbeats_of(self, node_ids: Sequence[str], since: float, limit: int) -> list[Heartbeat]:
        """Heartbeats of many nodes from a moment on, at most `limit` of each, each node's oldest first."""
        ...

    async def heartbeat_means(self, node_id: str, step: int, since: float, limit: int) -> list[Sample]:
        """What a node told from a moment on, as means over steps of so many seconds, oldest first.

        Values, where it told them: cpu, memory, disk, load (0 … 1), received, sent (bytes/s), pages (per
        second), active_tasks. `limit` is of steps. The series is `node_series(node_id)`.
        """
        ...

    async def delete_node(self, node_id: str, events: Sequence[Event] = ()) -> bool:
        """Forget a node and its heartbeats. False where it is unknown. Its executions stay."""
        ...

    # -- clusters --------------------------------------------------------------------------------

    async def save_cluster(self, cluster: Cluster) -> None:
        """Add or replace a cluster. Raises `ConflictError` where its name is taken in its project."""
        ...

    async def clusters(self) -> list[Cluster]:
        """All clusters, by name."""
        ...

    async def delete_cluster(self, cluster_id: str) -> bool:
        """Forget a cluster. Raises `ConflictError` while it has nodes. False where it is unknown."""
        ...

    # -- keys ------------------------------------------------------------------------------------

    async def save_key(self, key: ApiKey) -> None:
        """Add or replace a key."""
        ...

    async def add_key(self, key: ApiKey) -> bool:
        """Add a key. False, and nothing changes, where its id is taken."""
        ...

    async def touch_key(self, key_id: str, now: float) -> bool:
        """Note that a key was used. False where it is unknown: it is not brought back."""
        ...

    async def keys(self) -> list[ApiKey]:
        """All keys and sessions, oldest first."""
        ...

    async def delete_key(self, key_id: str) -> bool:
        """Forget a key and its sessions, or a session. False where it is unknown."""
        ...

    # -- events and logs -------------------------------------------------------------------------

    async def append_events(self, events: Sequence[Event]) -> None:
        """Tell what happened."""
        ...

    async def events(self, query: EventQuery) -> list[Event]:
        """Events with ids above `query.after` and below `query.before`, oldest first, or newest first."""
        ...

    async def last_event_id(self) -> int:
        """The highest id of an event so far; 0 where there is none."""
        ...

    async def position(self, name: str) -> int:
        """How far a reader of this name has come, as it told with `keep_position`; 0 where it never did."""
        ...

    async def keep_position(
        self, name: str, number: int, *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """Remember how far a reader has come: through a kill, and for whoever reads on under its name."""
        ...

    async def append_logs(self, lines: Sequence[LogLine]) -> None:
        """Keep lines of logs."""
        ...

    async def logs(
        self, task_id: str, *, execution_id: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[LogLine]:
        """Lines with an id above `after`, oldest first."""
        ...

    # -- samples ---------------------------------------------------------------------------------

    async def keep_samples(
        self, samples: Sequence[Sample], *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """Add or replace samples; each is known by its series, its step and its moment."""
        ...

    async def samples(self, series: str, step: int, since: float, limit: int) -> list[Sample]:
        """Samples of a series from a moment on, oldest first."""
        ...

    # -- leading ---------------------------------------------------------------------------------

    async def lead(self, holder: str, duration: float, now: float) -> Leadership | None:
        """Take or renew the lead for `duration` seconds. None while somebody else has it.

        Renewing keeps the fence; taking it over, also from oneself after it ran out, raises it.
        """
        ...

    async def leader(self) -> Leadership | None:
        """Who leads, or led last."""
        ...

    async def resign(self, holder: str) -> None:
        """Give up the lead, so that another may take it at once. Not leading is fine."""
        ...

    # -- waiting and care ------------------------------------------------------------------------

    def mark(self, topic: str) -> int:
        """How often something was told under a topic as far as this process knows. See `wait`."""
        ...

    async def wait(self, topic: str, seen: int, timeout: float) -> int:
        """Wait until `mark(topic)` is above `seen`, at most for the time-out (seconds). Returns the mark.

        Topics: `tasks` (a task has got open places, or an execution ended and left a place on its
        node), `events`, `logs:TASK_ID`, `node:NODE_ID` (an execution of the node was added or
        changed, or the node itself was, by `change_nodes`). A shared store also brings what other
        processes told, as soon as it hears of it; it may wake for nothing.
        """
        ...

    async def prune(self, retention: Retention, limit: int) -> int:
        """Delete what is older than it must be kept, at most `limit` rows of each kind. Returns how many.

        Tasks go with their executions, logs and samples, and only ended ones do.
        """
        ...

    async def aclose(self) -> None:
        """Let go of everything. Twice is fine."""
        ...
