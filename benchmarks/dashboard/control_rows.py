"""The control store of a large cluster: tasks, executions, nodes, events, logs."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import asyncpg

from benchmarks.dashboard.loading import copy, told, without_indexes
from benchmarks.dashboard.sizes import CRAWLS, DAYS, EVENTS, NEEDLE, Landmarks, Sizes
from crawlmesh.adapters.postgres.control.tables import KEEP_TEXTS
from crawlmesh.control.ids import IdMaker
from crawlmesh.model.task import Task
from crawlmesh.rules.compatibility import queue_of

_TASK_COLUMNS = (
    "id", "task_type", "parameters", "project_id", "workflow_id", "priority", "capabilities", "categories",
    "status", "reason", "fence", "queue", "open_places", "created_at", "updated_at", "not_before",
    "assigned_node", "assigned_at", "started_at", "completed_at", "result", "retry_count",
)  # fmt: skip
_EXECUTION_COLUMNS = (
    "id", "task_id", "node_id", "fence", "status", "ended_by", "start_time", "end_time", "result", "metrics",
    "strategy", "choice",
)  # fmt: skip
_NODE_COLUMNS = (
    "id", "identity", "name", "ip_address", "port", "node_type", "region", "capabilities", "resources",
    "slots", "status", "reason", "health_status", "health_details", "health_timestamp", "token_hash",
    "session", "fence", "last_heartbeat", "load", "usage", "active_tasks", "created_at", "updated_at",
)  # fmt: skip
_NEEDS = {"gpu_model": "H900"}  # that no node has
_QUEUES = {
    name: queue_of(Task(id="", task_type=name, parameters={})) for name in ("web_crawl", "python_function")
}
_STUCK_QUEUE = queue_of(Task(id="", task_type="web_crawl", parameters={}, capabilities=_NEEDS))
_REGIONS = ("eu-west", "eu-north", "us-east", "us-west", "ap-south")
_RESULT = json.dumps({"success": True, "data": {"records": 12}, "metrics": {"pages_crawled": 12}})
_FAILURE = json.dumps({"success": False, "error": "The start URL answered 503 four times.", "metrics": {}})
_USAGE = json.dumps(
    {"cpu_usage": 0.42, "memory_usage": 0.51, "disk_usage": 0.3, "network_received": 1e6,
     "network_sent": 5e4, "pages": 1.5, "bytes": 60_000.0, "errors": 0.01}
)  # fmt: skip
_CREATED_BY = {"deduplicate": False, "priority": 5}

_COUNT = """
INSERT INTO task_counts SELECT status, count(*) FROM crawler_tasks GROUP BY status
ON CONFLICT (status) DO UPDATE SET tasks = excluded.tasks;
INSERT INTO queue_counts SELECT queue, count(*) FROM crawler_tasks WHERE open_places > 0 GROUP BY queue;
INSERT INTO node_loads
SELECT node_id, count(*) FROM crawler_task_executions WHERE status = 'running' GROUP BY node_id;
UPDATE last_ids SET id = coalesce((SELECT max(id) FROM cluster_events), 0) WHERE kind = 'events';
UPDATE last_ids SET id = coalesce((SELECT max(id) FROM execution_logs), 0) WHERE kind = 'logs';
"""


class ControlRows:
    """Everything is drawn from one seed, so that two runs have the same rows but for the time."""

    def __init__(self, sizes: Sizes, now: float) -> None:
        self._sizes = sizes
        self._now = now
        self._begun = now - DAYS * 86_400
        self._random = random.Random(5)
        self._moment = self._begun
        self._ids = IdMaker(lambda: self._moment, self._random)
        self._nodes: list[str] = []
        self._executions: list[tuple[Any, ...]] = []
        self._recent: list[tuple[str, str | None]] = []  # tasks with their nodes, for events
        self.landmarks = Landmarks()
        self.crawls: list[str] = []  # tasks that have a crawl; the first is the large one

    async def load(self, connection: asyncpg.Connection) -> None:
        with told(f"{self._sizes.nodes:,} nodes"):
            await copy(connection, "crawler_nodes", _NODE_COLUMNS, self._node_rows())
        tables = ("crawler_tasks", "crawler_task_executions")
        with told(f"{self._sizes.tasks:,} tasks with their executions and indexes"):
            async with without_indexes(connection, *tables):
                await copy(connection, "crawler_tasks", _TASK_COLUMNS, self._task_rows())
                await copy(connection, "crawler_task_executions", _EXECUTION_COLUMNS, self._executions)
        self._executions.clear()
        with told("texts to search in, with their index"):
            async with without_indexes(connection, "task_texts"):
                await connection.execute(f"{KEEP_TEXTS} FROM crawler_tasks")
        with told("events, logs, keys and counters"):
            columns: tuple[str, ...] = ("id", "type", "at", "data", "task_id", "node_id")
            await copy(connection, "cluster_events", columns, self._event_rows())
            columns = ("id", "task_id", "execution_id", "at", "level", "message")
            await copy(connection, "execution_logs", columns, self._log_rows())
            columns = ("id", "name", "role", "hash", "created_at")
            await copy(connection, "api_keys", columns, self._key_rows())
            await connection.execute(_COUNT)

    def _node_rows(self) -> Iterator[tuple[Any, ...]]:
        sizes = self._sizes
        for number in range(sizes.nodes):
            self._moment += 0.001
            node_id = self._ids.make("node")
            self._nodes.append(node_id)
            status, reason = _node_status(number, sizes)
            health = "degraded" if number % 500 == 3 else "unhealthy" if number % 900 == 5 else "healthy"
            heard = self._now if number < sizes.online else self._now - 3_600.0 - number
            yield (
                node_id, f"device-{number}", f"worker-{number:05}", "10.0.0.1", 0, "standard",
                _REGIONS[number % len(_REGIONS)], '{"processes":1}', '{"cpu":4,"memory_mb":8192}', 1, status,
                reason, health, "{}", self._now, f"{number:064x}", 1, 3, heard, 0.4, _USAGE,
                int(number < sizes.online), self._begun, self._begun,
            )  # fmt: skip
        self.landmarks.node = self._nodes[0]

    def _task_rows(self) -> Iterator[tuple[Any, ...]]:
        sizes = self._sizes
        step = DAYS * 86_400 / sizes.tasks
        first_pending = sizes.tasks - sizes.pending
        first_running = first_pending - sizes.online
        for number in range(sizes.tasks):
            self._moment = created = self._begun + number * step
            task_id = self._ids.make("task")
            status = (
                "pending"
                if number >= first_pending
                else "processing"
                if number >= first_running
                else _ended_status(number)
            )
            running = number - first_running if status == "processing" else None
            is_crawl = number % 5 < 3 if running is None else running <= CRAWLS
            stuck = number >= sizes.tasks - sizes.stuck
            node_id = None
            if status not in ("pending", "waiting", "cancelled", "paused"):
                node_id = self._nodes[self._node_of(number) if running is None else running]
                self._executions.append(self._execution(task_id, node_id, status, created))
            self._note(number, task_id, node_id, status, is_crawl=is_crawl, stuck=stuck)
            has_ended = status in ("completed", "failed", "timeout", "cancelled")
            task_type = "web_crawl" if is_crawl or stuck else "python_function"
            ended = created + 1.0 + number % 900 if has_ended else None
            yield (
                task_id, task_type, _parameters(number, is_crawl=is_crawl),
                f"project-{number % 20}" if number % 3 else "default",
                f"workflow-{number % 1000}" if number % 10 == 0 else None,
                1 + self._random.randrange(10) if number % 4 == 0 else 5,
                json.dumps(_NEEDS) if stuck else "{}",
                [f"category-{number % 50}"] if number % 7 == 0 else [],
                status, None, 4 if node_id else 1, _STUCK_QUEUE if stuck else _QUEUES[task_type],
                int(status == "pending"), created, ended or created + 1.0,
                self._now + 86_400.0 if status == "waiting" else 0.0,
                node_id, created + 0.5 if node_id else None, created + 1.0 if node_id else None, ended,
                _RESULT if status == "completed" else _FAILURE if status == "failed" else None, number % 2,
            )  # fmt: skip

    def _node_of(self, number: int) -> int:
        """The first node has had many; the others share the rest."""
        return 0 if number % 50 == 0 else number % self._sizes.nodes

    def _execution(self, task_id: str, node_id: str, status: str, created: float) -> tuple[Any, ...]:
        running = status == "processing"
        completed = status == "completed"
        return (
            self._ids.make("exec"), task_id, node_id, 2,
            "running" if running else "completed" if completed else "failed",
            None if running else "finished" if completed else "error",
            created + 0.5, None if running else created + 30.0,
            _RESULT if completed else None, '{"pages_crawled":12,"data_size":48000}',
            "least_loaded", "It had the least load of 9000 nodes that fit.",
        )  # fmt: skip

    def _note(
        self, number: int, task_id: str, node_id: str | None, status: str, *, is_crawl: bool, stuck: bool
    ) -> None:
        marks = self.landmarks
        if status == "processing" and is_crawl:
            marks.crawl = marks.crawl or task_id
            self.crawls.append(task_id)
        elif stuck:
            marks.stuck = task_id
        elif status == "pending" and len(marks.pending) < 50:
            marks.pending.append(task_id)
        elif status == "failed":
            marks.failed = task_id
        elif status == "completed":
            marks.completed = task_id
        if number >= self._sizes.tasks - EVENTS // 4:
            self._recent.append((task_id, node_id))

    def _event_rows(self) -> Iterator[tuple[Any, ...]]:
        """Created, assigned and completed for the latest tasks, heartbeats between; some rare ones first."""
        number = 0
        rare = [("host.limits_changed", 20), ("leader.changed", 3), ("node.registered", 500)]
        for kind, count in rare:
            for each in range(count):
                number += 1
                node_id = self._nodes[each % len(self._nodes)] if kind.startswith("node") else None
                yield number, kind, self._begun + number, "{}", None, node_id
        step = (self._now - self._begun - 2_000) / (4 * len(self._recent))
        for task_id, node_id in self._recent:
            for kind in ("task.created", "task.assigned", "task.completed", "node.heartbeat"):
                if node_id is None and kind != "task.created":
                    continue
                number += 1
                about = None if kind == "node.heartbeat" else task_id
                node = None if kind == "task.created" else node_id
                yield number, kind, self._begun + 1_000 + number * step, json.dumps(_CREATED_BY), about, node

    def _log_rows(self) -> Iterator[tuple[Any, ...]]:
        counts: Counter[str] = Counter({self.landmarks.crawl: 20_000})
        counts.update(dict.fromkeys(self.crawls[1:101], 300))
        number = 0
        for task_id, lines in counts.items():
            for line in range(lines):
                number += 1
                message = f"Fetched page {line} of the shop; 12 links, 1 record."
                yield number, task_id, f"exec-of-{task_id}", self._now - 60.0, "INFO", message

    def _key_rows(self) -> Iterator[tuple[Any, ...]]:
        for number in range(20):
            role = ("viewer", "operator", "node")[number % 3]
            yield f"key-{number:04}", f"Key {number}", role, f"{number:064x}", self._begun


def _parameters(number: int, *, is_crawl: bool) -> str:
    if number == 4_711:
        return json.dumps({"function": f"reports.{NEEDLE}"})
    if not is_crawl:
        return json.dumps({"function": f"reports.daily_{number % 300}", "arguments": {"shop": number}})
    return json.dumps(
        {
            "urls": [f"https://shop-{number % 20_000}.example/catalogue/{number}/"],
            "max_pages": 1_000,
            "max_depth": 5,
            "extraction": {"title": {"css": "h1"}, "price": {"css": ".price", "type": "number"}},
        }
    )


def _ended_status(number: int) -> str:
    for divisor, rest, status in (
        (200, 7, "failed"),
        (1000, 13, "timeout"),
        (500, 3, "cancelled"),
        (1000, 501, "paused"),
        (2000, 77, "waiting"),
    ):
        if number % divisor == rest:
            return status
    return "completed"


def _node_status(number: int, sizes: Sizes) -> tuple[str, str | None]:
    if number < sizes.online:
        return "online", None
    return (
        ("maintenance", None),
        ("offline", None),
        ("offline", "It was silent for too long."),
        ("unresponsive", None),
    )[number % 4]
