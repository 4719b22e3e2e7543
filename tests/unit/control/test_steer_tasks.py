import pytest

from crawlmesh.control.failed_urls import retry_failed_urls
from crawlmesh.control.steer_tasks import (
    cancel_task,
    pause_task,
    reprioritize,
    resume_task,
    retry_task,
)
from crawlmesh.errors import ConflictError, InvalidError, NotFoundError
from crawlmesh.model.execution import EndedBy
from crawlmesh.model.task import TaskStatus
from crawlmesh.testing.builders import dead, lease_request, settlement
from tests.unit.control.kit import ControlKit


async def test_a_paused_task_stops_its_node_and_goes_on_when_it_is_resumed() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    paused = await pause_task(kit.context, task.id)
    assert paused.status is TaskStatus.PAUSED
    answer = await kit.pull(node, known=(assignment.execution.id,))
    assert [order.reason for order in answer.stop] == [EndedBy.PAUSED]
    assert await kit.report(node, assignment, outcome="stopped") == (True,)
    assert await kit.place() == 0
    assert (await resume_task(kit.context, task.id)).status is TaskStatus.PENDING
    assert await kit.place() == 1


async def test_a_cancelled_task_can_be_retried() -> None:
    kit = ControlKit()
    [task] = await kit.submit()
    assert (await cancel_task(kit.context, task.id)).status is TaskStatus.CANCELLED
    with pytest.raises(ConflictError):
        await cancel_task(kit.context, task.id)
    assert (await retry_task(kit.context, task.id)).status is TaskStatus.PENDING


async def test_steering_decides_again_when_it_loses_a_race() -> None:
    kit = ControlKit()
    [task] = await kit.submit()

    async def meanwhile() -> None:
        await reprioritize(kit.context, task.id, 9)

    kit.store.before["change_tasks"] = meanwhile
    paused = await pause_task(kit.context, task.id)
    assert (paused.status, paused.priority, paused.fence) == (TaskStatus.PAUSED, 9, 3)


async def test_unknown_tasks_and_bad_priorities_are_refused() -> None:
    kit = ControlKit()
    with pytest.raises(NotFoundError):
        await pause_task(kit.context, "task-none")
    for priority in (0, 11, True):
        with pytest.raises(InvalidError):
            await reprioritize(kit.context, "task-none", priority)


async def test_only_the_urls_that_were_given_up_are_tried_again() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.make_crawl(task.id, "1")
    with pytest.raises(ConflictError):
        await retry_failed_urls(kit.context, task.id)
    [batch] = (await kit.crawl_store.lease(lease_request(task.id))).batches
    await kit.crawl_store.settle([settlement(batch, dead(batch.links[0]))])
    await kit.report(node, assignment)
    assert (await kit.task(task.id)).status is TaskStatus.COMPLETED
    assert (await retry_failed_urls(kit.context, task.id)).status is TaskStatus.PENDING
    assert (await kit.crawl_store.progress(task.id)).pending == 1


async def test_a_crawl_that_is_through_is_crawled_anew_when_it_is_retried() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.make_crawl(task.id, "1", "2")
    await kit.crawl_all(task.id)
    await kit.report(node, assignment)
    await retry_task(kit.context, task.id)
    assert (await kit.crawl_store.progress(task.id)).pending == 2


async def test_a_task_without_a_crawl_has_no_urls_to_retry() -> None:
    kit = ControlKit()
    [task] = await kit.submit()
    with pytest.raises(ConflictError):
        await retry_failed_urls(kit.context, task.id)
