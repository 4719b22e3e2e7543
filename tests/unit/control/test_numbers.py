from crawlmesh.control.merge_result import merge_result
from crawlmesh.control.node_stats import node_stats
from crawlmesh.control.overview import overview
from crawlmesh.control.task_stats import task_stats
from tests.unit.control.kit import ControlKit


async def _worked(kit: ControlKit) -> None:
    node = await kit.join(slots=10)
    await kit.submit(3)
    await kit.submit(1, max_retries=0, priority=10)
    await kit.place()
    assignments = (await kit.pull(node)).assignments
    kit.clock.advance(4.0)
    await kit.report(node, assignments[0], outcome="failed")
    await kit.report(node, *assignments[1:3])


async def test_the_overview_counts_everything() -> None:
    kit = ControlKit()
    await _worked(kit)
    found = await overview(kit.context)
    assert found.tasks_total == 4
    assert (found.nodes["online"], found.nodes_total, found.clusters) == (1, 1, 1)
    assert (found.running, found.slots, found.leader) == (1, 10, "test")


async def test_the_statistics_of_tasks_and_nodes_rest_on_what_ended() -> None:
    kit = ControlKit()
    await _worked(kit)
    tasks = await task_stats(kit.context)
    assert tasks.total == 4
    assert tasks.by_status["completed"] == 2
    assert (tasks.mean_wait, tasks.mean_duration) == (0.0, 4.0)
    node = await node_stats(kit.context, "a")
    assert (node.running, node.completed, node.failed) == (1, 2, 1)
    assert node.mean_duration == 4.0
    assert node.by_end == {"finished": 2, "error": 1}


async def test_an_empty_cluster_has_numbers_too() -> None:
    kit = ControlKit()
    assert (await overview(kit.context)).mean_load is None
    stats = await task_stats(kit.context)
    assert (stats.success_rate, stats.mean_wait, stats.per_minute) == (None, None, None)


async def test_merged_lists_are_bounded_and_in_order() -> None:
    kit = ControlKit(merged_items=3)
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/0"})
    await kit.make_crawl(task.id, *(str(number) for number in range(5)))
    await kit.crawl_all(task.id, b'{"items":[1,2],"none":null}')
    result = await merge_result(kit.context, task)
    assert result.data == {"items": [1, 2, 1]}
    assert result.metrics["records"] == 5
