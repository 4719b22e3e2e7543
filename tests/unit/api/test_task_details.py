import re
from typing import Any

import pytest

from crawlmesh.model.crawl import Dedup
from crawlmesh.testing.builders import all_fetched, crawl, lease_request, new_links
from tests.unit.api.master import Master


@pytest.mark.parametrize("part", ["executions", "records", "logs", "progress", "hosts", "explain"])
async def test_every_detail_of_an_unknown_task_is_a_404(master: Master, part: str) -> None:
    answer = await master.client("viewer").get(f"/api/v1/tasks/task-0/{part}")
    assert (answer.status, answer.error["code"]) == (404, "not_found")


@pytest.mark.parametrize("part", ["executions", "records", "logs", "progress", "hosts", "explain"])
async def test_every_detail_of_a_fresh_crawl_can_be_asked_for(master: Master, part: str) -> None:
    task_id = await master.submit()
    answer = await master.client("viewer").get(f"/api/v1/tasks/{task_id}/{part}")
    assert answer.status == 200, answer


async def test_an_execution_has_the_columns_of_the_specification_first(master: Master) -> None:
    task_id = await master.assigned()
    (execution,) = (await master.client().get(f"/api/v1/tasks/{task_id}/executions")).json["items"]
    columns = ["id", "task_id", "node_id", "start_time", "status", "metrics", "retry_count"]
    assert list(execution)[: len(columns)] == columns
    assert execution["start_time"] == "2023-06-15T10:30:45Z"
    assert execution["deadline"] == "2023-06-15T11:30:45Z"
    one = await master.client().get(f"/api/v1/executions/{execution['id']}")
    assert one.json == execution
    unknown = await master.client().get("/api/v1/executions/exec-0")
    assert (unknown.status, unknown.error["code"]) == (404, "not_found")


async def test_logs_of_a_node_are_kept_and_paged_by_id(master: Master) -> None:
    task_id = await master.assigned()
    (execution,) = await master.context.store.running_executions([task_id])
    line = {"execution_id": execution.id, "task_id": task_id, "at": master.clock.now(), "level": "INFO"}
    lines = [{**line, "message": f"line {number}"} for number in range(3)]
    assert (await master.node_call("logs", {"session": 1, "lines": lines})).status == 204
    first = (await master.client().get(f"/api/v1/tasks/{task_id}/logs", limit=2)).json
    assert [each["message"] for each in first["items"]] == ["line 0", "line 1"]
    rest = (await master.client().get(f"/api/v1/tasks/{task_id}/logs", after=first["last_id"])).json
    assert [each["message"] for each in rest["items"]] == ["line 2"]
    assert rest["items"][0]["at"] == "2023-06-15T10:30:45Z"


async def test_a_url_that_nobody_saw_has_no_entry(master: Master) -> None:
    task_id = await master.submit()
    answer = await master.client().get(f"/api/v1/tasks/{task_id}/why", url="https://example.com/x")
    assert (answer.status, answer.json) == (200, None)
    bad = await master.client().get(f"/api/v1/tasks/{task_id}/why", url="mailto:me")
    assert (bad.status, bad.error["field"]) == (422, "url")


async def test_records_and_progress_of_a_crawl(master: Master) -> None:
    task_id = await master.submit()
    store = master.context.crawl_store
    await _crawl_three_pages(master, task_id)
    progress = (await master.client().get(f"/api/v1/tasks/{task_id}/progress")).json
    assert (progress["task_id"], progress["done"], progress["finished"]) == (task_id, 3, True)
    seen, cursor = [], None
    while True:
        query = {"limit": 2} | ({} if cursor is None else {"cursor": cursor})
        page = (await master.client().get(f"/api/v1/tasks/{task_id}/records", **query)).json
        seen += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert len(seen) == (await store.progress(task_id)).records
    assert all(record["fetched_at"].endswith("Z") for record in seen)
    hosts = (await master.client().get(f"/api/v1/tasks/{task_id}/hosts")).json["items"]
    assert [host["state"]["host"] for host in hosts] == [host["host"] for host in hosts]


async def test_the_progress_of_a_crawl_with_a_filter_shows_it(master: Master) -> None:
    task_id = await master.submit()
    exact = (await master.client().get(f"/api/v1/tasks/{task_id}/progress")).json
    assert exact["filter"] is None
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id, dedup=Dedup.BLOOM, filter_capacity=10))
    await store.add(new_links(9, crawl_id=task_id))
    shown = (await master.client().get(f"/api/v1/tasks/{task_id}/progress")).json["filter"]
    assert (shown["count"], shown["capacity"], shown["fill"], shown["nearly_full"]) == (9, 10, 0.9, True)
    assert list(shown) == ["capacity", "count", "layers", "bytes", "error_rate", "fill", "nearly_full"]


async def _crawl_three_pages(master: Master, task_id: str) -> None:
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id))
    await store.add(new_links(3, crawl_id=task_id))
    while not (await store.progress(task_id)).finished:
        grant = await store.lease(lease_request(task_id))
        await store.settle([all_fetched(batch) for batch in grant.batches])


async def test_a_url_with_nul_is_refused_as_the_description_says(
    master: Master, document: dict[str, Any]
) -> None:
    task_id = await master.submit()
    answer = await master.client().get(f"/api/v1/tasks/{task_id}/why", url="https://example.com/\0")
    assert (answer.status, answer.error["code"]) == (422, "invalid")
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                kinds = parameter["schema"].get("anyOf", [parameter["schema"]])
                for kind in kinds:
                    if kind.get("type") == "string" and kind.get("format") != "date-time":
                        assert not _allows(kind, "https://a.example/\0"), (
                            operation["operationId"],
                            parameter,
                        )


def _allows(schema: dict[str, Any], text: str) -> bool:
    return "enum" not in schema and re.search(schema.get("pattern", ""), text) is not None
