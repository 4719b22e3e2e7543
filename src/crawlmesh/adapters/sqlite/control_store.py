"""The control store on SQLite."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from crawlmesh.adapters.sqlite.checkpointing import Checkpointer
from crawlmesh.adapters.sqlite.connection import open_database, open_to_read
from crawlmesh.adapters.sqlite.control import (
    changing,
    keeping,
    leading,
    listing,
    nodes,
    pruning,
    reading,
    sampling,
    submitting,
)
from crawlmesh.adapters.sqlite.control.reader import Reader
from crawlmesh.adapters.sqlite.control.session import Session, json_list
from crawlmesh.adapters.sqlite.group_commit import GroupCommit
from crawlmesh.adapters.topics import Topics
from crawlmesh.errors import StoreError
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
from crawlmesh.model.sample import Sample, node_sample
from crawlmesh.model.task import Task

Result = TypeVar("Result")


class SqliteControlStore:
    """A `ControlStore` in one file, owned by one process. What is committed survives a kill at any moment.

    One thread writes. Two read beside it: one answers what the loops ask all the time, the other what
    people list, which may take its time. A fourth moves what was committed from the log into the file.
    """

    shared = False

    def __init__(self, session: Session, path: Path, hot: Reader, lists: Reader) -> None:
        """Use `open`."""
        self._session = session
        self._checkpointer = Checkpointer(path, session.connection)
        self._loop = asyncio.get_running_loop()
        self._topics = Topics()
        self._hot = hot
        self._lists = lists
        self._writer = GroupCommit(
            session.connection,
            path,
            committing=session.flush,
            committed=self._tell,
            rolled_back=session.reset,
        )

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open a file that has its tables (`crawlmesh.migrations`). No other process may have it open."""
        writer, hot, lists = await asyncio.to_thread(_open_connections, path)
        return cls(Session(writer), path, Reader(hot, path), Reader(lists, path))

    # -- tasks -----------------------------------------------------------------------------------

    async def submit(self, submissions: Sequence[Submission], now: float) -> list[Task]:
        """See ControlStore.submit."""
        return await self._write(lambda: submitting.submit(self._session, submissions, now))

    async def change_tasks(
        self, changes: Sequence[TaskChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """See ControlStore.change_tasks."""
        return await self._write(lambda: changing.change_tasks(self._session, changes, leader_fence, now))

    async def tasks_by_id(self, ids: Sequence[str]) -> list[Task]:
        """See ControlStore.tasks_by_id."""
        return reading.decode_tasks(await self._hot.text(reading.TASKS_BY_ID, (json_list(ids),)))

    async def list_tasks(self, query: TaskQuery) -> TaskPage:
        """See ControlStore.list_tasks."""
        tasks = reading.decode_tasks(await self._lists.text(*listing.tasks_statement(query)))
        return listing.task_page(tasks, query)

    async def count_tasks(self) -> TaskCounts:
        """See ControlStore.count_tasks."""
        return TaskCounts(reading.decode_counts(await self._hot.text(reading.COUNTS)))

    async def queue_heads(self) -> list[QueueHead]:
        """See ControlStore.queue_heads."""
        return reading.decode_heads(await self._hot.text(reading.QUEUE_HEADS))

    async def open_tasks(self, queue: str, limit: int, skip: Sequence[str] = ()) -> list[Task]:
        """See ControlStore.open_tasks."""
        return reading.decode_tasks(await self._hot.text(reading.OPEN_TASKS, (queue, json_list(skip), limit)))

    async def due_tasks(self, now: float, limit: int) -> list[Task]:
        """See ControlStore.due_tasks."""
        return reading.decode_tasks(await self._hot.text(reading.DUE_TASKS, (now, limit)))

    # -- executions ------------------------------------------------------------------------------

    async def assignments(self, ids: Sequence[str]) -> list[Assignment]:
        """See ControlStore.assignments."""
        return reading.decode_assignments(await self._hot.text(reading.ASSIGNMENTS, (json_list(ids),)))

    async def node_assignments(self, node_id: str) -> list[Assignment]:
        """See ControlStore.node_assignments."""
        return reading.decode_assignments(await self._hot.text(reading.NODE_ASSIGNMENTS, (node_id,)))

    async def node_executions(self, node_id: str) -> list[RunningExecution]:
        """See ControlStore.node_executions."""
        return reading.decode_running(await self._hot.text(reading.NODE_EXECUTIONS, (node_id,)))

    async def task_executions(self, task_id: str) -> list[Execution]:
        """See ControlStore.task_executions."""
        return reading.decode_executions(await self._hot.text(reading.TASK_EXECUTIONS, (task_id,)))

    async def running_executions(self, task_ids: Sequence[str]) -> list[Execution]:
        """See ControlStore.running_executions."""
        return reading.decode_executions(
            await self._hot.text(reading.RUNNING_EXECUTIONS, (json_list(task_ids),))
        )

    async def overdue_executions(self, now: float, limit: int) -> list[Assignment]:
        """See ControlStore.overdue_executions."""
        return reading.decode_assignments(await self._hot.text(reading.OVERDUE, (now, limit)))

    async def executions_of_node(self, node_id: str, limit: int, before: str = "") -> list[Execution]:
        """See ControlStore.executions_of_node."""
        if before:
            found = await self._lists.text(reading.OLDER_OF_NODE, (node_id, before, limit))
        else:
            found = await self._lists.text(reading.NEWEST_OF_NODE, (node_id, limit))
        return reading.decode_executions(found)

    async def node_loads(self) -> dict[str, int]:
        """See ControlStore.node_loads."""
        return reading.decode_counts(await self._hot.text(reading.LOADS))

    # -- nodes -----------------------------------------------------------------------------------

    async def change_nodes(
        self, changes: Sequence[NodeChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """See ControlStore.change_nodes."""
        return await self._write(lambda: nodes.change_nodes(self._session, changes, leader_fence, now))

    async def node(self, node_id: str) -> Node | None:
        """See ControlStore.node."""
        found = reading.decode_nodes(await self._hot.text(reading.NODE, (node_id,)))
        return found[0] if found else None

    async def node_by_identity(self, identity: str) -> Node | None:
        """See ControlStore.node_by_identity."""
        found = reading.decode_nodes(await self._hot.text(reading.NODE_BY_IDENTITY, (identity,)))
        return found[0] if found else None

    async def list_nodes(self, query: NodeQuery) -> NodePage:
        """See ControlStore.list_nodes."""
        found = reading.decode_nodes(await self._lists.text(*listing.nodes_statement(query)))
        return listing.node_page(found, query)

    async def node_groups(self) -> list[NodeGroup]:
        """See ControlStore.node_groups."""
        return reading.decode_node_groups(await self._lists.text(reading.NODE_GROUPS))

    async def nodes_changed_since(self, moment: float) -> list[Node]:
        """See ControlStore.nodes_changed_since."""
        if moment == 0.0:
            return reading.decode_nodes(await self._hot.text(reading.ALL_NODES))
        return reading.decode_nodes(await self._hot.text(reading.NODES_CHANGED, (moment,)))

    async def silent_nodes(self, statuses: Sequence[NodeStatus], before: float, limit: int) -> list[Node]:
        """See ControlStore.silent_nodes."""
        wanted = {"statuses": json_list(set(statuses)), "before": before, "limit": limit}
        return reading.decode_nodes(await self._hot.text(reading.SILENT_NODES, wanted))

    async def record_heartbeats(
        self, heartbeats: Sequence[Heartbeat], events: Sequence[Event] = (), *, history: bool = True
    ) -> None:
        """See ControlStore.record_heartbeats."""
        await self._write(lambda: nodes.record_heartbeats(self._session, heartbeats, events, history=history))

    async def record_health(self, found: Sequence[tuple[str, NodeHealth]]) -> None:
        """See ControlStore.record_health."""
        await self._write(lambda: nodes.record_health(self._session, found))

    async def heartbeat_history(self, node_id: str, since: float, limit: int) -> list[Heartbeat]:
        """See ControlStore.heartbeat_history."""
        return reading.decode_heartbeats(await self._lists.text(reading.HISTORY, (node_id, since, limit)))

    async def heartbeats_of(self, node_ids: Sequence[str], since: float, limit: int) -> list[Heartbeat]:
        """See ControlStore.heartbeats_of."""
        wanted = {"nodes": msgspec.json.encode(node_ids).decode(), "since": since, "limit": limit}
        return reading.decode_heartbeats(await self._lists.text(reading.HISTORIES, wanted))

    async def heartbeat_means(self, node_id: str, step: int, since: float, limit: int) -> list[Sample]:
        """See ControlStore.heartbeat_means."""
        wanted = {"node": node_id, "step": step, "since": since, "limit": limit}
        rows = sampling.decode_means(await self._lists.text(sampling.MEANS, wanted))
        return [node_sample(node_id, step, at or 0.0, means) for at, *means in rows]

    async def delete_node(self, node_id: str, events: Sequence[Event] = ()) -> bool:
        """See ControlStore.delete_node."""
        return await self._write(lambda: nodes.delete_node(self._session, node_id, events))

    # -- clusters and keys -----------------------------------------------------------------------

    async def save_cluster(self, cluster: Cluster) -> None:
        """See ControlStore.save_cluster."""
        await self._write(lambda: keeping.save_cluster(self._session, cluster))

    async def clusters(self) -> list[Cluster]:
        """See ControlStore.clusters."""
        return reading.decode_clusters(await self._hot.text(reading.CLUSTERS))

    async def delete_cluster(self, cluster_id: str) -> bool:
        """See ControlStore.delete_cluster."""
        return await self._write(lambda: keeping.delete_cluster(self._session, cluster_id))

    async def save_key(self, key: ApiKey) -> None:
        """See ControlStore.save_key."""
        await self._write(lambda: keeping.save_key(self._session, key))

    async def add_key(self, key: ApiKey) -> bool:
        """See ControlStore.add_key."""
        return await self._write(lambda: keeping.add_key(self._session, key))

    async def touch_key(self, key_id: str, now: float) -> bool:
        """See ControlStore.touch_key."""
        return await self._write(lambda: keeping.touch_key(self._session, key_id, now))

    async def keys(self) -> list[ApiKey]:
        """See ControlStore.keys."""
        return reading.decode_keys(await self._hot.text(reading.KEYS))

    async def delete_key(self, key_id: str) -> bool:
        """See ControlStore.delete_key."""
        return await self._write(lambda: keeping.delete_key(self._session, key_id))

    # -- events and logs -------------------------------------------------------------------------

    async def append_events(self, events: Sequence[Event]) -> None:
        """See ControlStore.append_events."""
        await self._write(lambda: self._session.append_events(events))

    async def events(self, query: EventQuery) -> list[Event]:
        """See ControlStore.events."""
        return reading.decode_events(await self._lists.text(*reading.events_statement(query)))

    async def last_event_id(self) -> int:
        """See ControlStore.last_event_id."""
        return int(await self._hot.text(reading.LAST_EVENT))

    async def position(self, name: str) -> int:
        """See ControlStore.position."""
        return int(await self._hot.text(reading.POSITION, (name,)))

    async def keep_position(
        self, name: str, number: int, *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """See ControlStore.keep_position."""
        await self._write(
            lambda: keeping.keep_position(self._session, name, number, fence=leader_fence, now=now)
        )

    async def append_logs(self, lines: Sequence[LogLine]) -> None:
        """See ControlStore.append_logs."""
        await self._write(lambda: self._session.append_lines(lines))

    async def logs(
        self, task_id: str, *, execution_id: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[LogLine]:
        """See ControlStore.logs."""
        wanted = {"task": task_id, "after": after, "limit": limit}
        if execution_id is None:
            return reading.decode_lines(await self._lists.text(reading.LINES_OF_TASK, wanted))
        wanted["execution"] = execution_id
        return reading.decode_lines(await self._lists.text(reading.LINES_OF_EXECUTION, wanted))

    # -- samples ---------------------------------------------------------------------------------

    async def keep_samples(
        self, samples: Sequence[Sample], *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """See ControlStore.keep_samples."""
        await self._write(lambda: sampling.keep_samples(self._session, samples, fence=leader_fence, now=now))

    async def samples(self, series: str, step: int, since: float, limit: int) -> list[Sample]:
        """See ControlStore.samples."""
        text = await self._lists.text(sampling.READ, (series, step, since, limit))
        return sampling.decode_samples(text)

    # -- leading ---------------------------------------------------------------------------------

    async def lead(self, holder: str, duration: float, now: float) -> Leadership | None:
        """See ControlStore.lead."""
        return await self._write(lambda: leading.lead(self._session, holder, duration, now))

    async def leader(self) -> Leadership | None:
        """See ControlStore.leader."""
        row = await self._hot.row(leading.READ_LEADER)
        return None if row is None else Leadership(*row)

    async def resign(self, holder: str) -> None:
        """See ControlStore.resign."""
        await self._write(lambda: leading.resign(self._session, holder))

    # -- waiting and care ------------------------------------------------------------------------

    def mark(self, topic: str) -> int:
        """See ControlStore.mark."""
        return self._topics.mark(topic)

    async def wait(self, topic: str, seen: int, timeout: float) -> int:
        """See ControlStore.wait."""
        return await self._topics.wait(topic, seen, timeout)

    async def prune(self, retention: Retention, limit: int) -> int:
        """See ControlStore.prune."""
        return await self._write(lambda: pruning.prune(self._session, retention, limit))

    async def aclose(self) -> None:
        """See ControlStore.aclose."""
        await self._writer.aclose()
        await self._hot.aclose()
        await self._lists.aclose()
        await asyncio.to_thread(self._checkpointer.close)
        self._session.connection.close()
        self._topics.wake_all()

    async def _write(self, function: Callable[[], Result]) -> Result:
        return await self._writer.call(function)

    def _tell(self) -> None:
        """Hand the topics of what was committed to the event loop; it comes there before the answers."""
        if self._session.told:
            told, self._session.told = self._session.told, set()
            with suppress(RuntimeError):  # the loop has ended, and with it all who could have waited
                self._loop.call_soon_threadsafe(self._topics.tell, told)


def _open_connections(path: Path) -> list[sqlite3.Connection]:
    opened = [open_database(path, _check_tables)]
    try:
        opened += [open_to_read(path), open_to_read(path)]
    except BaseException:
        for connection in opened:
            connection.close()
        raise
    return opened


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'crawler_tasks'").fetchone()
    if found is None:
        raise StoreError(
            f"{path} has no tables of a control store; bring it up to date with migrations first."
        )
