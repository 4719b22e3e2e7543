"""The calls of every page of the dashboard, as `web/src/pages` makes them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any
from urllib.parse import urlencode

import msgspec

from benchmarks.dashboard.crawl_rows import url_of
from benchmarks.dashboard.sizes import HOSTS, NEEDLE, Landmarks
from crawlmesh.model.event import EventType
from crawlmesh.model.query import TaskOrder
from crawlmesh.protocol.cursors import task_cursor

_SPANS = ("15m", "6h", "7d")
_STATUSES = (
    "waiting", "pending", "assigned", "processing", "paused", "completed", "failed", "timeout", "cancelled",
)  # fmt: skip
_ORDERS: tuple[TaskOrder, ...] = (
    "-created_at", "created_at", "-updated_at", "updated_at", "-priority", "priority",
)  # fmt: skip
_BUT_HEARTBEATS = [kind.value for kind in EventType if kind is not EventType.NODE_HEARTBEAT]


class Call(msgspec.Struct, frozen=True):
    """One call. `pause`: seconds before each, where answers are remembered for so long."""

    page: str
    name: str
    path: str
    method: str = "GET"
    body: Callable[[], Any] | None = None
    pause: float = 0.0
    stream: bool = False  # only until the first message
    expect: int | None = None  # items that must come; None: any number


class Calls:
    def __init__(self, marks: Landmarks, now: float, key: str) -> None:
        self._marks = marks
        self._now = now
        self._key = key
        self._numbers = count()

    def all(self) -> list[Call]:
        parts = (
            self._frame(), self._overview(), self._task_lists(), self._searches(), self._steering(),
            self._task(), self._waiting_task(), self._nodes(), self._node(), self._hosts(), self._events(),
            self._settings(),
        )  # fmt: skip
        return [call for part in parts for call in part]

    def _frame(self) -> Iterator[Call]:
        """What every page asks for."""
        yield Call("every page", "session", _path("/session"))
        yield Call("every page", "sign in", _path("/session"), "POST", lambda: {"key": self._key})
        yield Call("every page", "live stream, first message", _path("/live:stream"), stream=True)

    def _overview(self) -> Iterator[Call]:
        yield Call("overview", "overview", _path("/system/overview"))
        yield Call("overview", "overview, counted anew", _path("/system/overview"), pause=5.1)
        yield Call("overview", "attention", _path("/system/attention"), pause=5.1)
        for span in _SPANS:
            yield Call("overview", f"series {span}", _path("/system/series", span=span))
        yield Call("overview", "recent tasks", _path("/tasks", sort="-created_at", limit=8), expect=8)

    def _task_lists(self) -> Iterator[Call]:
        yield Call("tasks", "stats", _path("/tasks/stats"))
        yield Call("tasks", "stats, read anew", _path("/tasks/stats"), pause=5.1)
        for order in _ORDERS:
            yield self._tasks(f"by {order}", sort=order)
            yield self._tasks(f"by {order}, deep", sort=order, cursor=self._deep(order))
        yield self._tasks("200 at once", sort="-created_at", limit=200)
        for status in _STATUSES:
            for order in _ORDERS[::2]:
                yield self._tasks(f"{status} by {order}", status=status, sort=order)
        some = ["failed", "timeout", "cancelled"]
        others: dict[str, dict[str, Any]] = {
            "three statuses": {"status": some},
            "all but completed": {"status": [each for each in _STATUSES if each != "completed"]},
            "a project": {"project_id": "project-7"},
            "no such project": {"project_id": "nothing"},
            "a node": {"node_id": self._marks.node},
            "a type": {"task_type": "python_function"},
            "no such type": {"task_type": "nothing"},
            "a priority": {"priority": 9},
            "a project that failed": {"project_id": "project-7", "status": "failed"},
            "a node's completed ones": {"node_id": self._marks.node, "status": "completed"},
            "a type of a project that runs": {
                "project_id": "project-7",
                "task_type": "web_crawl",
                "status": "processing",
            },
            "created in an hour": self._between(2.0, 1.0 / 24),
            "failed in a day": {**self._between(3.0, 1.0), "status": "failed"},
            "of a day, of a type and priority": {
                **self._between(4.0, 1.0),
                "task_type": "web_crawl",
                "priority": 2,
            },
        }
        for name, query in others.items():
            for order in _ORDERS[::2]:
                yield self._tasks(f"{name} by {order}", sort=order, **query)
        yield self._tasks("a category", category="category-7")

    def _searches(self) -> Iterator[Call]:
        marks = self._marks
        searches: dict[str, tuple[dict[str, Any], int | None]] = {
            "one old task's parameter": ({"search": NEEDLE}, 1),
            "the end of an id": ({"search": marks.failed[-10:].lower()}, 1),
            "nothing like it": ({"search": "no such thing anywhere"}, 0),
            "nothing, of common parts": ({"search": "shop-123456.example/catalogue/9"}, 0),
            "a shop": ({"search": "shop-122.example"}, None),
            "what most have": ({"search": "example"}, 50),
            "two letters": ({"search": "sh"}, 50),
            "two letters that are nowhere": ({"search": "qx"}, None),
            "one failed task": ({"search": marks.failed[-10:], "status": "failed"}, 1),
            "a shop's failed ones": ({"search": "shop-122.example", "status": ["failed", "timeout"]}, None),
            "a number of a project": ({"search": "catalogue/4", "project_id": "project-7"}, None),
        }
        for name, (query, expect) in searches.items():
            for order in _ORDERS[::2]:
                yield self._tasks(f"search {name} by {order}", expect, sort=order, **query)
        deep = self._deep("-created_at")
        yield self._tasks("search what most have, deep", 50, search="example", cursor=deep)
        yield self._tasks("search a shop, deep", search="shop-122.example", cursor=deep)

    def _steering(self) -> Iterator[Call]:
        ids = self._marks.pending
        paths = ("/tasks:pause", "/tasks:resume")
        yield Call(
            "tasks", "priority of 50 tasks", _path("/tasks:prioritize"), "POST",
            lambda: {"ids": ids, "priority": 1 + next(self._numbers) % 10},
        )  # fmt: skip
        for path in paths:
            yield Call("tasks", f"{path[7:]} 50 tasks", _path(path), "POST", lambda: {"ids": ids})

    def _task(self) -> Iterator[Call]:
        crawl = f"/tasks/{self._marks.crawl}"
        records = self._marks.records
        yield Call("task", "task", _path(crawl))
        for part in ("progress", "executions", "explain"):
            yield Call("task", part, _path(f"{crawl}/{part}"))
        for span in _SPANS:
            yield Call("task", f"series {span}", _path(f"{crawl}/series", span=span))
        events = {"task_id": self._marks.completed, "order": "desc", "limit": 100}
        yield Call("task", "events", _path("/events", **events))
        yield Call("task", "records", _path(f"{crawl}/records", limit=50), expect=50)
        for name, cursor in (("deep", records // 2), ("last", records - 10)):
            yield Call("task", f"records, {name}", _path(f"{crawl}/records", limit=50, cursor=cursor))
        yield Call("task", "failures", _path(f"{crawl}/failures", limit=50), expect=50)
        for reason in ("http_500", "dns", "nothing"):
            yield Call("task", f"failures {reason}", _path(f"{crawl}/failures", limit=50, reason=reason))
        cursor = records + 2_000
        yield Call("task", "failures, deep", _path(f"{crawl}/failures", limit=50, cursor=cursor))
        yield Call("task", "why a URL", _path(f"{crawl}/why", url=url_of(11)))
        yield Call("task", "hosts", _path(f"{crawl}/hosts", limit=200), expect=200)
        yield Call("task", "log", _path(f"{crawl}/logs", limit=1000), expect=1000)
        yield Call("task", "log, its end", _path(f"{crawl}/logs", after=19_500, limit=1000))

    def _waiting_task(self) -> Iterator[Call]:
        for name, task_id in (("a pending", self._marks.pending[0]), ("a stuck", self._marks.stuck)):
            yield Call("task", f"explain {name} one", _path(f"/tasks/{task_id}/explain"))

    def _nodes(self) -> Iterator[Call]:
        queries: dict[str, dict[str, Any]] = {
            "all": {},
            "deep": {"cursor": self._marks.node[:-4] + "ZZZZ"},
            "offline": {"status": "offline"},
            "unhealthy": {"health": ["unhealthy", "unreachable"]},
            "draining, of which there are none": {"status": "draining"},
            "online and degraded": {"status": "online", "health": "degraded"},
            "search one": {"search": "worker-09876"},
            "search many": {"search": "worker-0"},
            "search nothing": {"search": "no such node"},
        }
        for name, query in queries.items():
            yield Call("nodes", name, _path("/nodes", limit=30, **query))
        yield Call("tasks", "nodes to choose from", _path("/nodes", search="0987", limit=20))

    def _node(self) -> Iterator[Call]:
        node = f"/nodes/{self._marks.node}"
        yield Call("node", "node", _path(node))
        yield Call("node", "stats", _path(f"{node}/stats"))
        yield Call("node", "executions", _path(f"{node}/executions", limit=20), expect=20)
        for span in _SPANS:
            yield Call("node", f"series {span}", _path(f"{node}/series", span=span))
        types = [each for each in _BUT_HEARTBEATS if each.startswith(("node", "task"))]
        query = {"node_id": self._marks.node, "order": "desc", "limit": 15, "types": types}
        yield Call("node", "events", _path("/events", **query))

    def _hosts(self) -> Iterator[Call]:
        yield Call("hosts", "all", _path("/hosts", limit=50), expect=50)
        yield Call("hosts", "deep", _path("/hosts", limit=50, cursor="host-5.example"), expect=50)
        yield Call("hosts", "one", _path("/hosts/host-7.example"))
        for name, search, expect in (
            ("one", f"host-{HOSTS - 1}.", 1),
            ("many", "host-1", 50),
            ("nothing", "no-such-host", None),
        ):
            yield Call("hosts", f"search {name}", _path("/hosts", limit=50, search=search), expect=expect)

    def _events(self) -> Iterator[Call]:
        queries: dict[str, dict[str, Any]] = {
            "newest": {"types": _BUT_HEARTBEATS},
            "older": {"types": _BUT_HEARTBEATS, "before": 100_000},
            "a rare, old type": {"types": "leader.changed"},
            "a type that never came": {"types": "task.filter_nearly_full"},
            "heartbeats": {"types": "node.heartbeat"},
            "of a node": {"types": _BUT_HEARTBEATS, "node_id": self._marks.node},
            "of a task": {"types": _BUT_HEARTBEATS, "task_id": self._marks.completed},
        }
        for name, query in queries.items():
            yield Call("events", name, _path("/events", order="desc", limit=100, **query))

    def _settings(self) -> Iterator[Call]:
        yield Call("settings", "keys", _path("/keys"))
        yield Call("settings", "clusters", _path("/clusters"))
        yield Call("settings", "health", "/health")

    def _tasks(self, name: str, expect: int | None = None, **query: Any) -> Call:
        return Call("tasks", name, _path("/tasks", **{"limit": 50, **query}), expect=expect)

    def _deep(self, order: TaskOrder) -> str:
        value = 5.0 if "priority" in order else self._now - 2.5 * 86_400
        return task_cursor(order, value, self._marks.completed)

    def _between(self, days_ago: float, days: float) -> dict[str, str]:
        moments = (self._now - days_ago * 86_400, self._now - (days_ago - days) * 86_400)
        after, before = (datetime.fromtimestamp(moment, UTC).isoformat() for moment in moments)
        return {"created_after": after, "created_before": before}


def _path(path: str, **query: Any) -> str:
    asked = f"?{urlencode(query, doseq=True)}" if query else ""
    return f"/api/v1{path}{asked}"
