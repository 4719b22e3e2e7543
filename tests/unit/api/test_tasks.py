from typing import Any

import pytest

from crawlmesh.api import examples
from tests.unit.api.master import Master

# The fields of S2 8.6.2, in their order.
PROCESSING = [
    *("id", "project_id", "workflow_id", "task_type", "parameters", "priority", "min_resources"),
    *("capabilities", "schedule_strategy", "target_region", "content_features", "status", "created_at"),
    *("updated_at", "assigned_node", "assigned_at", "retry_count", "max_retries"),
]
COMPLETED = [*PROCESSING[:-2], "completed_at", "result", "retry_count", "max_retries"]
REQUEST = {**examples.TASK_REQUEST, "capabilities": {}, "min_resources": {}}


async def test_the_request_of_the_specification_is_answered_as_it_says(master: Master) -> None:
    answer = await master.client("operator").post("/api/v1/tasks", examples.TASK_REQUEST)
    assert answer.status == 201
    assert answer.headers["content-type"] == "application/json"
    assert list(answer.json) == ["id", "status", "created_at", "priority"]
    assert answer.json == {
        "id": answer.json["id"],
        "status": "pending",
        "created_at": "2023-06-15T10:30:45Z",
        "priority": 7,
    }
    assert answer.headers["location"] == f"/api/v1/tasks/{answer.json['id']}"
    task = (await master.client("viewer").get(answer.headers["location"])).json
    for field, value in examples.TASK_REQUEST.items():
        assert task[field] == value
    assert (
        b'"min_resources":{"memory_mb":4096,"cpu_cores":2}'
        in (await master.client("viewer").get(answer.headers["location"])).body
    )


async def test_a_task_that_is_worked_on_has_the_fields_of_the_specification_first(master: Master) -> None:
    task_id = await master.assigned(**{**REQUEST, "task_type": "noop"})
    execution = (await master.context.store.running_executions([task_id]))[0]
    started = {"session": 1, "known": [execution.id], "started": [execution.id], "wait": 0}
    assert (await master.node_call("pull", started)).status == 200
    task = (await master.client().get(f"/api/v1/tasks/{task_id}")).json
    assert list(task)[: len(PROCESSING)] == PROCESSING
    assert (task["status"], task["assigned_node"]) == ("processing", "worker-001")
    assert "result" not in task


async def test_a_completed_task_has_its_result(master: Master) -> None:
    task_id = await master.assigned(**{**REQUEST, "task_type": "noop"})
    execution = (await master.context.store.running_executions([task_id]))[0]
    master.clock.advance(275.0)
    result = {**examples.RESULT, "timestamp": master.clock.now()}
    report = {
        "execution_id": execution.id,
        "fence": execution.fence,
        "outcome": "completed",
        "result": result,
    }
    told = await master.node_call("report", {"session": 1, "reports": [report]})
    assert told.json == {"taken": [True]}
    task = (await master.client().get(f"/api/v1/tasks/{task_id}")).json
    assert list(task)[: len(COMPLETED)] == COMPLETED
    assert task["completed_at"] == "2023-06-15T10:35:20Z"
    assert task["result"] == examples.RESULT
    assert list(task["result"]) == ["success", "data", "metrics", "timestamp"]
    (listed,) = (await master.client().get("/api/v1/tasks")).json["items"]
    assert listed == task
    (short,) = (await master.client().get("/api/v1/tasks", results="false")).json["items"]
    assert short == {**task, "result": {**task["result"], "data": {}}}


async def test_many_tasks_are_taken_in_order(master: Master) -> None:
    tasks = [{"task_type": "noop", "priority": priority} for priority in (1, 10, 5)]
    answer = await master.client().post("/api/v1/tasks:batch", {"tasks": tasks})
    assert answer.status == 201
    assert [list(task) for task in answer.json["tasks"]] == [["id", "status", "created_at", "priority"]] * 3
    assert [task["priority"] for task in answer.json["tasks"]] == [1, 10, 5]


async def test_an_idempotency_key_makes_a_repetition_harmless(master: Master) -> None:
    client, task = master.client(), {"task_type": "noop"}
    headers = {"Idempotency-Key": "once"}
    first = await client.request("POST", "/api/v1/tasks", json=task, headers=headers)
    again = await client.request("POST", "/api/v1/tasks", json=task, headers=headers)
    other = await client.request("POST", "/api/v1/tasks", json={**task, "priority": 9}, headers=headers)
    assert first.json == again.json
    assert (other.status, other.error["code"]) == (409, "conflict")


async def test_a_submission_that_wants_to_be_recognised_is(master: Master) -> None:
    task = {"parameters": {"url": "https://example.com/"}, "deduplicate": True}
    first = await master.client().post("/api/v1/tasks", task)
    again = await master.client().post("/api/v1/tasks", task)
    assert (first.status, again.status) == (201, 200)
    assert again.json == {**first.json, "duplicate": True}


async def test_lists_come_in_pages(master: Master) -> None:
    ids = [await master.submit(task_type="noop", priority=3) for _ in range(5)]
    seen, cursor = [], None
    for _ in range(3):
        query = {"limit": 2, "sort": "created_at"} | ({} if cursor is None else {"cursor": cursor})
        page = (await master.client().get("/api/v1/tasks", **query)).json
        assert list(page) == ["items", "next_cursor"]
        seen += [task["id"] for task in page["items"]]
        cursor = page["next_cursor"]
    assert (seen, cursor) == (ids, None)


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"status": "pending"}, 2),
        ({"status": "failed,pending"}, 2),
        ({"status": ["failed", "cancelled"]}, 0),
        ({"priority": 9}, 1),
        ({"project_id": "other"}, 1),
        ({"category": "news"}, 1),
        ({"task_type": "noop"}, 2),
        ({"search": "needle"}, 1),
        ({"created_after": "2023-06-15T10:30:46Z"}, 1),
        ({"created_before": "2023-06-15T12:30:46+02:00"}, 1),
    ],
)
async def test_lists_are_filtered(master: Master, query: dict[str, Any], count: int) -> None:
    await master.submit(task_type="noop", priority=9, project_id="other", categories=["news"])
    master.clock.advance(2.0)
    await master.submit(task_type="noop", parameters={"text": "needle"})
    answer = await master.client().get("/api/v1/tasks", **query)
    assert len(answer.json["items"]) == count, answer


@pytest.mark.parametrize("cursor", ["nonsense", "", "ä", "created_at~x~a", "priority~5~", "priority~5~a\n"])
async def test_a_cursor_that_is_none_is_refused(master: Master, cursor: str) -> None:
    answer = await master.client().get("/api/v1/tasks", cursor=cursor)
    assert (answer.status, answer.error["field"]) == (422, "cursor")
    assert "`next_cursor` of a page of tasks" in answer.error["message"]


async def test_a_cursor_is_a_position_in_its_own_order(master: Master) -> None:
    first, second, third = [await master.submit(priority=priority) for priority in (9, 1, 5)]
    client = master.client()
    cursor = (await client.get("/api/v1/tasks", sort="priority", limit=1)).json["next_cursor"]
    assert cursor == f"priority~1~{second}"
    page = (await client.get("/api/v1/tasks", cursor=cursor, sort="created_at")).json
    assert [task["id"] for task in page["items"]] == [third, first]
    nowhere = (await client.get("/api/v1/tasks", cursor="-priority~7~nobody", priority=5)).json
    assert [task["id"] for task in nowhere["items"]] == [third]
    devices = (await client.get("/api/distribution/tasks", cursor=cursor)).json
    assert [task["id"] for task in devices["tasks"]] == [third, first]


async def test_a_task_gets_another_priority(master: Master) -> None:
    task_id = await master.submit()
    answer = await master.client().request("PATCH", f"/api/v1/tasks/{task_id}", json={"priority": 10})
    assert (answer.status, answer.json["priority"]) == (200, 10)


async def test_stats_count_by_status(master: Master) -> None:
    await master.submit()
    stats = (await master.client().get("/api/v1/tasks/stats")).json
    assert stats["by_status"]["pending"] == stats["total"] == 1


async def test_tasks_are_steered_one_by_one(master: Master) -> None:
    task_id = await master.submit()
    for verb, status in (
        ("pause", "paused"),
        ("resume", "pending"),
        ("cancel", "cancelled"),
        ("retry", "pending"),
    ):
        answer = await master.client("operator").post(f"/api/v1/tasks/{task_id}:{verb}")
        assert (answer.status, answer.json["status"]) == (200, status)
    refused = await master.client("operator").post(f"/api/v1/tasks/{task_id}:resume")
    assert (refused.status, refused.error["code"]) == (409, "conflict")
    nothing = await master.client("operator").post(f"/api/v1/tasks/{task_id}:retry-failed")
    assert (nothing.status, nothing.error["code"]) == (409, "conflict")


async def test_many_tasks_are_steered_each_for_itself(master: Master) -> None:
    first, second = await master.submit(), await master.submit()
    await master.client().post(f"/api/v1/tasks/{second}:cancel")
    answer = await master.client().post("/api/v1/tasks:pause", {"ids": [first, second, "task-0"]})
    taken, refused, unknown = answer.json["tasks"]
    assert taken == {"id": first, "status": "paused"}
    assert (refused["id"], unknown["id"]) == (second, "task-0")
    assert refused["error"]
    assert "task-0" in unknown["error"]


async def test_whole_numbers_are_shown_as_they_were_given(master: Master) -> None:
    task_id = await master.submit(min_resources={"cpu_cores": 1, "x": 2.5}, capabilities={"level": 1})
    body = (await master.client().get(f"/api/v1/tasks/{task_id}")).body
    assert b'"min_resources":{"cpu_cores":1,"x":2.5},"capabilities":{"level":1}' in body
