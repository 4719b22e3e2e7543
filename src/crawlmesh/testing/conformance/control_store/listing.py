"""`list_tasks`: conditions, orders, and pages by key."""

from collections.abc import Callable
from typing import Any, get_args

import msgspec
import pytest

from crawlmesh.errors import InvalidError
from crawlmesh.model.query import TaskOrder, TaskQuery
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_tasks,
    all_tasks,
    changed,
    make,
    new_task,
)

ORDERS: tuple[TaskOrder, ...] = get_args(TaskOrder)
STATUSES = list(TaskStatus)


def _mixed_tasks() -> list[Task]:
    """Tasks with many ties in all that lists are ordered by."""
    return [
        new_task(
            number,
            created_at=NOW + number % 4,
            updated_at=NOW + number % 3,
            priority=number % 5 + 1,
            status=STATUSES[number % len(STATUSES)],
            project_id=f"project-{number % 2}",
            workflow_id=f"workflow-{number % 3}" if number % 4 else None,
            task_type="web_crawl" if number % 3 else "Python_Function",
            assigned_node=f"node-{number % 3}" if number % 5 else None,
            categories=("news", "a b")[: number % 3],
            parameters={
                "url": f"https://example.com/Page-{number}",
                "note": "50% off_sale" if number % 2 else "",
            },
        )
        for number in range(60)
    ]


CONDITIONS: list[dict[str, Any]] = [
    {},
    {"statuses": (TaskStatus.FAILED,)},
    {"statuses": (TaskStatus.PENDING, TaskStatus.COMPLETED, TaskStatus.PAUSED)},
    {"project_id": "project-1"},
    {"workflow_id": "workflow-2"},
    {"task_type": "web_crawl"},
    {"node_id": "node-1"},
    {"category": "a b"},
    {"priority": 3},
    {"created_after": NOW + 2},
    {"created_before": NOW + 2},
    {
        "created_after": NOW + 1,
        "created_before": NOW + 3,
        "statuses": (TaskStatus.PENDING, TaskStatus.FAILED),
    },
    {"search": "TASK-00002"},
    {"search": "page-4"},
    {"search": "50% off_"},
    {"search": "%"},
    {"search": "example_com"},
    {"project_id": "project-0", "task_type": "Python_Function", "search": "page"},
    {"project_id": "nobody"},
]


def _expected(tasks: list[Task], order: TaskOrder, query: dict[str, Any]) -> list[str]:
    field = order.removeprefix("-")
    wanted = TaskQuery(**query)
    found = [task for task in tasks if _meets(task, wanted)]
    found.sort(key=lambda task: (getattr(task, field), task.id), reverse=order.startswith("-"))
    return [task.id for task in found]


def _meets(task: Task, query: TaskQuery) -> bool:
    text = (task.id + "\n" + str(task.parameters)).lower()
    checks: dict[str, Callable[[Any], bool]] = {
        "statuses": lambda wanted: not wanted or task.status in wanted,
        "project_id": lambda wanted: task.project_id == wanted,
        "workflow_id": lambda wanted: task.workflow_id == wanted,
        "task_type": lambda wanted: task.task_type == wanted,
        "node_id": lambda wanted: task.assigned_node == wanted,
        "category": lambda wanted: wanted in task.categories,
        "priority": lambda wanted: task.priority == wanted,
        "created_after": lambda wanted: task.created_at >= wanted,
        "created_before": lambda wanted: task.created_at < wanted,
        "search": lambda wanted: wanted.lower() in text,
    }
    given = {name: getattr(query, name) for name in checks}
    return all(check(given[name]) for name, check in checks.items() if given[name] is not None)


class Listing(ControlStoreCase):
    """Pages of tasks."""

    @pytest.mark.parametrize("order", ORDERS)
    async def test_every_condition_in_every_order(self, store: ControlStore, order: TaskOrder) -> None:
        """Page by page, over ties."""
        tasks = _mixed_tasks()
        await add_tasks(store, *tasks)
        for query in CONDITIONS:
            for limit in (1, 7, 100):
                found = [task.id for task in await all_tasks(store, limit, order=order, **query)]
                assert found == _expected(tasks, order, query), query

    @pytest.mark.parametrize("order", ORDERS)
    async def test_pages_while_tasks_come_in(self, store: ControlStore, order: TaskOrder) -> None:
        """What was there is listed once, whatever comes before or after the cursor."""
        tasks = _mixed_tasks()
        await add_tasks(store, *tasks)
        for statuses in ((), (TaskStatus.PENDING, TaskStatus.FAILED)):
            query = TaskQuery(order=order, statuses=statuses, limit=5)
            seen: list[str] = []
            for step in range(100):
                page = await store.list_tasks(query)
                seen += [task.id for task in page.tasks]
                number = 1000 + 100 * len(statuses) + step
                late = new_task(
                    number, created_at=NOW + step % 4, updated_at=NOW + step % 3, priority=step % 5 + 1
                )
                await add_tasks(store, late)
                if page.cursor is None:
                    break
                query = msgspec.structs.replace(query, cursor=page.cursor)
            assert len(seen) == len(set(seen))
            old = {task.id for task in tasks if not statuses or task.status in statuses}
            assert [task_id for task_id in seen if task_id in old] == [
                task_id for task_id in _expected(tasks, order, {"statuses": statuses}) if task_id in old
            ]

    async def test_a_page_that_ends_with_the_last_task_has_no_cursor(self, store: ControlStore) -> None:
        """Nor has an empty one."""
        assert (await store.list_tasks(TaskQuery())).cursor is None
        await add_tasks(store, new_task(1), new_task(2))
        page = await store.list_tasks(TaskQuery(limit=2))
        assert ([task.id for task in page.tasks], page.cursor) == (["task-000002", "task-000001"], None)

    @pytest.mark.parametrize("cursor", ["", "nonsense", "AAAA", "ü", "W10", "/../"])
    async def test_a_cursor_of_no_page_is_refused(self, store: ControlStore, cursor: str) -> None:
        """Naming the field."""
        with pytest.raises(InvalidError) as caught:
            await store.list_tasks(TaskQuery(cursor=cursor))
        assert caught.value.field == "cursor"

    async def test_a_cursor_of_another_order_is_refused(self, store: ControlStore) -> None:
        """It would mean something else."""
        await add_tasks(store, new_task(1), new_task(2))
        cursor = (await store.list_tasks(TaskQuery(limit=1))).cursor
        with pytest.raises(InvalidError):
            await store.list_tasks(TaskQuery(order="priority", cursor=cursor))

    async def test_changes_are_seen(self, store: ControlStore) -> None:
        """In conditions and in the order."""
        await add_tasks(store, new_task(1), new_task(2))
        await make(store, changed(new_task(1), priority=9, updated_at=NOW + 9, assigned_node="node-001"))
        assert [task.id for task in await all_tasks(store, order="-priority")] == [
            "task-000001",
            "task-000002",
        ]
        assert [task.id for task in await all_tasks(store, order="updated_at")] == [
            "task-000002",
            "task-000001",
        ]
        assert [task.id for task in await all_tasks(store, priority=9, node_id="node-001")] == ["task-000001"]
