import pytest

from crawlmesh.control.report import report
from crawlmesh.control.steer_tasks import reprioritize
from crawlmesh.errors import StaleSessionError
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import EndedBy
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.node_messages import ExecutionReport, ReportMessage
from crawlmesh.testing.builders import lease_request
from tests.unit.control.kit import ControlKit


async def test_many_reports_are_settled_in_one_call_of_each_kind() -> None:
    kit = ControlKit()
    node = await kit.join(slots=500)
    await kit.submit(500)
    assert await kit.place() == 500
    assignments = (await kit.pull(node)).assignments
    kit.store.calls.clear()
    assert await kit.report(node, *assignments) == (True,) * 500
    assert kit.store.calls == ["node", "assignments", "running_executions", "change_tasks"]
    assert (await kit.store.count_tasks()).by_status == {"completed": 500}


async def test_a_repeated_report_changes_nothing() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    assert await kit.report(node, assignment) == (True,)
    before = (await kit.task(task.id), await kit.store.last_event_id())
    assert await kit.report(node, assignment) == (False,)
    assert (await kit.task(task.id), await kit.store.last_event_id()) == before


async def test_a_report_with_another_fence_of_another_node_or_session_is_refused() -> None:
    kit = ControlKit()
    node = await kit.join("a", node_type="wanted")
    stranger = await kit.join("b")
    [task] = await kit.submit(node_type="wanted")
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    wrong = ExecutionReport(execution_id=assignment.execution.id, fence=99, outcome="completed")
    answer = await report(kit.context, "a", ReportMessage(session=1, reports=(wrong,)))
    assert answer.taken == (False,)
    assert await kit.report(stranger, assignment) == (False,)
    with pytest.raises(StaleSessionError):
        await report(kit.context, "a", ReportMessage(session=7, reports=(wrong,)))
    assert (await kit.task(task.id)).status is TaskStatus.ASSIGNED


async def test_a_failure_waits_for_its_next_try_and_in_the_end_is_given_up() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(max_retries=0)
    [again] = await kit.submit(max_retries=1)
    await kit.place()
    await kit.report(node, *(await kit.pull(node)).assignments, outcome="failed")
    assert (await kit.task(task.id)).status is TaskStatus.FAILED
    waiting = await kit.task(again.id)
    assert (waiting.status, waiting.retry_count) == (TaskStatus.WAITING, 1)
    assert waiting.not_before >= kit.now


async def test_only_what_was_refused_is_decided_again() -> None:
    kit = ControlKit()
    node = await kit.join()
    one, two = await kit.submit(2)
    await kit.place()
    assignments = (await kit.pull(node)).assignments

    async def meanwhile() -> None:
        await reprioritize(kit.context, one.id, 9)

    kit.store.before["change_tasks"] = meanwhile
    kit.store.calls.clear()
    assert await kit.report(node, *assignments) == (True, True)
    assert (await kit.task(one.id)).priority == 9
    assert (await kit.task(two.id)).fence == 3  # created, placed, reported: changed once by the report


async def test_a_crawl_is_completed_when_the_store_says_that_it_is_through() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.make_crawl(task.id, "1", "2")
    await kit.report(node, assignment)
    assert (await kit.task(task.id)).status is TaskStatus.PENDING  # two links are left
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    kit.clock.advance(5.0)
    await kit.crawl_all(task.id, b'{"products":[{"title":"One"}],"shop":"S"}')
    await kit.report(node, assignment)
    completed = await kit.task(task.id)
    assert completed.status is TaskStatus.COMPLETED
    assert completed.result is not None
    assert completed.result.data == {"products": [{"title": "One"}] * 2, "shop": ["S", "S"]}
    assert completed.result.metrics["pages_crawled"] == completed.result.metrics["records"] == 2
    assert completed.result.metrics["processing_time"] == 5.0
    [event] = await kit.told(EventType.TASK_COMPLETED)
    assert event.data["result"]["data"] == completed.result.data


async def test_the_event_of_a_large_result_has_its_numbers_but_not_its_data() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.make_crawl(task.id, *"123456789")
    await kit.crawl_all(task.id, b'{"text":"%s"}' % (b"x" * 1000))
    await kit.report(node, assignment)
    [event] = await kit.told(EventType.TASK_COMPLETED)
    told = event.data["result"]
    assert (told["success"], told["error"], told["metrics"]["records"]) == (True, None, 9)
    assert "data" not in told
    assert told["data_bytes"] > 9000
    completed = await kit.task(task.id)
    assert completed.result is not None
    assert len(completed.result.data["text"]) == 9


async def test_of_a_crawl_that_the_store_does_not_know_the_word_of_the_node_counts() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    await kit.report(node, *(await kit.pull(node)).assignments)
    assert (await kit.task(task.id)).status is TaskStatus.COMPLETED


async def test_a_crawl_at_its_limit_of_pages_is_completed_with_links_left_over() -> None:
    kit = ControlKit()
    node = await kit.join()
    parameters = {"url": "https://a.example/1", "depth": 0, "max_pages": 1}
    [task] = await kit.submit(task_type="web_crawl", parameters=parameters)
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.make_crawl(task.id, "1", "2", max_pages=1)
    await kit.crawl_all(task.id)
    assert (await kit.crawl_store.progress(task.id)).pending == 1
    await kit.report(node, assignment)
    assert (await kit.task(task.id)).status is TaskStatus.COMPLETED


async def test_a_crawl_on_two_nodes_is_completed_when_both_have_ended() -> None:
    kit = ControlKit()
    one, two = await kit.join("a"), await kit.join("b")
    parameters = {"url": "https://a.example/1"}
    [task] = await kit.submit(task_type="web_crawl", parameters=parameters, max_nodes=2)
    assert await kit.place() == 2
    [first], [second] = (await kit.pull(one)).assignments, (await kit.pull(two)).assignments
    await kit.make_crawl(task.id, "1")
    await kit.crawl_all(task.id)
    await kit.report(one, first)
    assert (await kit.task(task.id)).status is TaskStatus.PROCESSING
    [order] = (await kit.pull(two, known=(second.execution.id,))).stop
    assert order.reason is EndedBy.FINISHED
    await kit.report(two, second, outcome="stopped")
    completed = await kit.task(task.id)
    assert completed.status is TaskStatus.COMPLETED
    assert completed.result is not None
    assert completed.result.metrics["records"] == 1


async def test_links_that_are_leased_keep_a_crawl_open() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.make_crawl(task.id, "1")
    await kit.crawl_store.lease(lease_request(task.id))
    await kit.report(node, assignment)
    assert (await kit.task(task.id)).status is TaskStatus.PENDING
