import asyncio
from typing import Any

import pytest

from crawlmesh.control.submit_tasks import submit_recognising, submit_tasks
from crawlmesh.errors import IdempotencyError, InvalidError
from crawlmesh.model.event import EventType
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.task_messages import NewTask
from tests.unit.control.kit import ControlKit


async def test_a_task_is_pending_with_the_defaults_of_the_settings() -> None:
    kit = ControlKit(max_retries=7)
    [task] = await submit_tasks(kit.context, [NewTask(task_type="noop", priority=7)])
    assert (task.status, task.priority, task.max_retries, task.open_places) == (TaskStatus.PENDING, 7, 7, 1)
    assert task.id.startswith("task-")
    assert len(task.id) == len("task-") + 26
    [event] = await kit.told(EventType.TASK_CREATED)
    assert event.task_id == task.id


async def test_ids_grow_with_time_and_within_a_batch() -> None:
    kit = ControlKit()
    tasks = await kit.submit(50)
    kit.clock.advance(1.0)
    tasks += await kit.submit(50)
    ids = [task.id for task in tasks]
    assert ids == sorted(set(ids))


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"priority": 0}, "priority"),
        ({"priority": 11}, "priority"),
        ({"priority": True}, "priority"),
        ({"schedule_strategy": "best"}, "schedule_strategy"),
        ({"timeout": 0.0}, "timeout"),
        ({"timeout": float("nan")}, "timeout"),
        ({"max_retries": -1}, "max_retries"),
        ({"max_nodes": 0}, "max_nodes"),
        ({"task_type": ""}, "task_type"),
        ({"task_type": "a\nb"}, "task_type"),
        ({"project_id": "x" * 256}, "project_id"),
        ({"min_resources": {"memory_mb": -1}}, "min_resources.memory_mb"),
        ({"capabilities": {"javascript_rendering": {"a": 1}}}, "capabilities.javascript_rendering"),
        ({"categories": ("c",) * 65}, "categories"),
        ({"parameters": {"text": "x" * 2_000_000}}, "parameters"),
    ],
)
async def test_a_bad_field_is_named(fields: dict[str, Any], field: str) -> None:
    kit = ControlKit()
    with pytest.raises(InvalidError) as caught:
        await kit.submit(**fields)
    assert caught.value.field == field
    assert "submit" not in kit.store.calls


async def test_a_bad_task_of_a_batch_is_named_by_its_number_and_nothing_is_stored() -> None:
    kit = ControlKit()
    requests = [NewTask(task_type="noop"), NewTask(task_type="noop", priority=99)]
    with pytest.raises(InvalidError) as caught:
        await submit_tasks(kit.context, requests)
    assert caught.value.field == "tasks.1.priority"
    assert (await kit.store.count_tasks()).by_status == {}


async def test_an_empty_batch_and_one_that_is_too_large_are_refused() -> None:
    kit = ControlKit(most_batch=2)
    for count in (0, 3):
        with pytest.raises(InvalidError):
            await kit.submit(count)


async def test_the_parameters_are_checked_by_the_function_of_the_task_type() -> None:
    def refuse(task_type: str, parameters: dict[str, object]) -> None:
        raise InvalidError("url is missing", "parameters.url")

    kit = ControlKit()
    object.__setattr__(kit.context, "check_parameters", refuse)
    with pytest.raises(InvalidError) as caught:
        await kit.submit()
    assert caught.value.field == "parameters.url"


async def test_the_same_idempotency_key_answers_with_the_same_tasks() -> None:
    kit = ControlKit()
    requests = [NewTask(task_type="noop"), NewTask(task_type="noop", priority=9)]
    first = await submit_tasks(kit.context, requests, "key")
    assert await submit_tasks(kit.context, requests, "key") == first
    with pytest.raises(IdempotencyError):
        await submit_tasks(kit.context, list(reversed(requests)), "key")
    assert (await kit.store.count_tasks()).by_status == {"pending": 2}


async def test_the_same_url_is_recognised_where_that_is_wanted() -> None:
    kit = ControlKit()

    async def submit(url: str, deduplicate: bool) -> tuple[str, bool]:
        request = NewTask(parameters={"url": url, "depth": 0}, deduplicate=deduplicate)
        [submitted] = await submit_recognising(kit.context, [request])
        return submitted.task.id, submitted.duplicate

    first = await submit("https://a.example/shop", True)
    assert await submit("HTTPS://a.example:443/shop", True) == (first[0], True)
    assert (await submit("https://a.example/shop", False))[0] != first[0]
    assert (await submit("https://a.example/other", True))[1] is False


async def test_a_crawl_that_follows_links_may_be_spread_over_nodes() -> None:
    kit = ControlKit(nodes_per_crawl=5)
    wide, single = [
        (
            await submit_tasks(
                kit.context, [NewTask(parameters={"url": "https://a.example/", "depth": depth})]
            )
        )[0]
        for depth in (2, 0)
    ]
    assert (wide.max_nodes, wide.open_places, single.max_nodes) == (5, 5, 1)


async def test_others_get_their_turn_while_a_large_batch_is_looked_through() -> None:
    kit = ControlKit()
    turns = 0

    async def watch() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    watching = asyncio.create_task(watch())
    await kit.submit(1000)
    watching.cancel()
    assert turns > 1000 / 50


async def test_recognised_tasks_are_told_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "crawlmesh")
    kit = ControlKit()
    [task] = await kit.submit(deduplicate=True, parameters={"url": "https://a.example/"})
    assert not caplog.records
    await kit.submit(deduplicate=True, parameters={"url": "https://a.example/"})
    [line] = caplog.records
    assert line.name == "crawlmesh.DEDUP"
    assert task.id in line.getMessage()
