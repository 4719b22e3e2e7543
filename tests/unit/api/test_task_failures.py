from typing import Any

import pytest

from crawlmesh.testing.builders import crawl, dead, fetched, lease_request, new_links, settlement
from tests.unit.api.master import Master

REASONS = ("http_500", "dns", "http_500", "tls")


@pytest.fixture
async def task_id(master: Master) -> str:
    """A crawl of five pages, four of which were given up."""
    task_id = await master.submit()
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id))
    await store.add(new_links(5, crawl_id=task_id))
    (batch,) = (await store.lease(lease_request(task_id))).batches
    first, *others = batch.links
    ends = [dead(link, reason, http_status=500) for link, reason in zip(others, REASONS, strict=True)]
    await store.settle([settlement(batch, fetched(first), *ends)])
    return task_id


async def failures(master: Master, task_id: str, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        answer = await master.client("viewer").get(
            f"/api/v1/tasks/{task_id}/failures", limit=2, **query, **cursor
        )
        assert answer.status == 200, answer
        found += answer.json["items"]
        if answer.json["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.json["next_cursor"]}


async def test_failures_are_listed_in_pages(master: Master, task_id: str) -> None:
    found = await failures(master, task_id)
    assert [failure["url"] for failure in found] == [f"https://a.example/{page}" for page in range(1, 5)]
    link_ids = [failure.pop("link_id") for failure in found]
    assert link_ids == sorted(link_ids)
    assert found[0] == {
        "url": "https://a.example/1",
        "host": "a.example",
        "reason": "http_500",
        "http_status": 500,
        "attempts": 1,
        "at": "2023-06-15T10:30:45Z",
    }


async def test_failures_of_one_reason(master: Master, task_id: str) -> None:
    found = await failures(master, task_id, reason="http_500")
    assert [failure["url"] for failure in found] == ["https://a.example/1", "https://a.example/3"]
    assert await failures(master, task_id, reason="http_404") == []


async def test_a_task_without_a_crawl_has_no_failures(master: Master) -> None:
    assert await failures(master, await master.submit()) == []
    unknown = await master.client().get("/api/v1/tasks/task-0/failures")
    assert (unknown.status, unknown.error["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("body", "left"),
    [
        (None, 0),
        ({}, 0),
        ({"reason": "http_500"}, 2),
        (
            {
                "urls": [
                    "https://a.example/2",
                    "https://A.example:443/4#x",
                    "not a url",
                    "https://a.example/0",
                ]
            },
            2,
        ),
        ({"reason": "dns", "urls": ["https://a.example/1", "https://a.example/2"]}, 3),
    ],
)
async def test_what_is_tried_again(master: Master, task_id: str, body: Any, left: int) -> None:
    answer = await master.client("operator").post(f"/api/v1/tasks/{task_id}:retry-failed", body)
    assert answer.status == 200, answer
    assert len(await failures(master, task_id)) == left
    progress = await master.context.crawl_store.progress(task_id)
    assert (progress.pending, progress.dead) == (4 - left, left)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"reason": "http_404"}, "no URL with the reason 'http_404' that was given up"),
        ({"urls": ["https://a.example/0"]}, "no URL 'https://a.example/0' that was given up"),
        ({"urls": ["https://a.example/0", "x"]}, "no URL of those named that was given up"),
    ],
)
async def test_nothing_to_try_again(master: Master, task_id: str, body: Any, words: str) -> None:
    answer = await master.client().post(f"/api/v1/tasks/{task_id}:retry-failed", body)
    assert (answer.status, answer.error["code"]) == (409, "conflict")
    assert words in answer.error["message"]


@pytest.mark.parametrize(
    "body", [{"urls": []}, {"reason": ""}, {"reasons": "dns"}, {"urls": "https://a.example/"}]
)
async def test_what_cannot_be_meant_is_refused(master: Master, task_id: str, body: Any) -> None:
    answer = await master.client().post(f"/api/v1/tasks/{task_id}:retry-failed", body)
    assert answer.status == 422


async def test_many_tasks_get_another_priority(master: Master) -> None:
    first, second = await master.submit(), await master.submit()
    await master.client().post(f"/api/v1/tasks/{second}:cancel")
    body = {"ids": [first, second, "task-0"], "priority": 9}
    steered = (await master.client("operator").post("/api/v1/tasks:prioritize", body)).json["tasks"]
    assert steered[0] == {"id": first, "status": "pending"}
    assert "cancelled" in steered[1]["error"]
    assert "task-0" in steered[2]["error"]
    assert (await master.client().get(f"/api/v1/tasks/{first}")).json["priority"] == 9
    bad = await master.client().post("/api/v1/tasks:prioritize", {**body, "priority": 11})
    assert (bad.status, bad.error["field"]) == (422, "priority")
