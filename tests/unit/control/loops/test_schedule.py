import asyncio
from collections import Counter
from dataclasses import replace

import pytest

from crawlmesh.control.clusters import update_cluster
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.schedule import Schedule
from crawlmesh.control.remove_node import remove_node
from crawlmesh.control.report import report
from crawlmesh.control.steer_tasks import cancel_task, pause_task, reprioritize, resume_task
from crawlmesh.errors import NotLeaderError
from crawlmesh.model.event import EventType
from crawlmesh.model.task import TaskStatus
from crawlmesh.observability.metrics import PLACED, ROUND_SECONDS, ROUNDS, Metric, NoMeasurements
from crawlmesh.protocol.node_messages import ExecutionReport, ReportMessage
from tests.unit.control.kit import ControlKit


async def test_a_placed_task_has_an_execution_with_its_reasons() -> None:
    kit = ControlKit(task_timeout=100.0)
    await kit.join(resources={"cpu": 4, "memory_mb": 4096})
    [task] = await kit.submit()
    assert await kit.place() == 1
    placed = await kit.task(task.id)
    [execution] = await kit.executions(task.id)
    assert (placed.status, placed.assigned_node) == (TaskStatus.ASSIGNED, "a")
    assert (execution.node_id, execution.fence, execution.strategy) == ("a", placed.fence, "least_loaded")
    assert execution.deadline == kit.now + 100.0
    assert execution.choice
    assert execution.allocation is not None
    assert [event.task_id for event in await kit.told(EventType.TASK_ASSIGNED)] == [task.id]


async def test_a_round_writes_once_and_takes_no_more_than_it_may() -> None:
    kit = ControlKit(max_tasks_per_schedule=10)
    await kit.join(slots=100)
    await kit.submit(25)
    await kit.leads()
    kit.store.calls.clear()
    assert await kit.schedule.run_once(kit.now) == 10
    assert kit.store.calls.count("change_tasks") == kit.store.calls.count("open_tasks") == 1
    assert [await kit.schedule.run_once(kit.now) for _ in range(3)] == [10, 5, 0]


async def test_no_node_gets_more_than_its_places_and_a_freed_one_is_filled_at_once() -> None:
    kit = ControlKit()
    node = await kit.join(slots=2)
    await kit.submit(5)
    assert await kit.place() == 2
    assignments = (await kit.pull(node)).assignments
    await kit.report(node, assignments[0])
    assert await kit.place() == 1


async def test_a_place_that_another_master_freed_is_seen_too() -> None:
    kit = ControlKit()
    node = await kit.join(slots=1)
    await kit.submit(2)
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    seen = kit.store.mark("tasks")
    told = ExecutionReport(
        execution_id=assignment.execution.id, fence=assignment.execution.fence, outcome="completed"
    )
    await report(kit.another_master(), "a", ReportMessage(session=1, reports=(told,)))
    assert kit.store.mark("tasks") > seen
    assert await kit.place() == 1


async def test_the_most_urgent_of_all_queues_go_first() -> None:
    kit = ControlKit()
    await kit.join(slots=3)
    [low] = await kit.submit(priority=1)
    [old] = await kit.submit(priority=5, schedule_strategy="random")
    kit.clock.advance(1.0)
    [young] = await kit.submit(priority=5)
    [high] = await kit.submit(priority=9, schedule_strategy="round_robin")
    await kit.place()
    statuses = {task.id: (await kit.task(task.id)).status for task in (low, old, young, high)}
    assert statuses[low.id] is TaskStatus.PENDING
    assert {statuses[task.id] for task in (old, young, high)} == {TaskStatus.ASSIGNED}


async def test_tasks_that_fit_no_node_are_not_even_read() -> None:
    kit = ControlKit()
    await kit.join()
    await kit.submit(1000, priority=10, capabilities={"javascript_rendering": 1})
    await kit.submit(1, priority=1)
    await kit.leads()
    kit.store.calls.clear()
    assert await kit.schedule.run_once(kit.now) == 1
    assert kit.store.calls.count("open_tasks") == 1


async def test_a_task_gets_each_node_once_and_as_many_as_it_may() -> None:
    kit = ControlKit()
    for name in ("a", "b", "c"):
        await kit.join(name, slots=9)
    [task] = await kit.submit(max_nodes=5)
    await kit.place()
    assert {each.node_id for each in await kit.executions(task.id)} == {"a", "b", "c"}
    assert (await kit.task(task.id)).open_places == 2


async def test_tasks_that_are_on_every_node_keep_nobody_waiting() -> None:
    kit = ControlKit(max_tasks_per_schedule=8)
    await kit.join(slots=100)
    await kit.submit(40, priority=10, max_nodes=3)
    assert await kit.place() == 40
    await kit.submit(3)
    assert await kit.place() == 3


async def test_a_task_comes_back_to_a_node_only_when_its_last_go_there_has_ended() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await pause_task(kit.context, task.id)
    await resume_task(kit.context, task.id)
    assert await kit.place() == 0
    await kit.report(node, assignment, outcome="stopped")
    assert await kit.place() == 1


async def test_a_lost_race_gives_the_place_back() -> None:
    kit = ControlKit()
    await kit.join(slots=1)
    one, two = await kit.submit(2)

    async def meanwhile() -> None:
        await cancel_task(kit.context, one.id)

    await kit.leads()
    kit.store.before["change_tasks"] = meanwhile
    assert await kit.place() == 1
    assert (await kit.task(two.id)).status is TaskStatus.ASSIGNED
    assert await kit.executions(one.id) == []


async def test_who_does_not_lead_any_more_places_nothing() -> None:
    kit = ControlKit()
    await kit.join()
    [task] = await kit.submit()
    await kit.leads()
    await kit.store.resign("test")
    assert await kit.store.lead("another", 10.0, kit.now) is not None
    with pytest.raises(NotLeaderError):
        await kit.schedule.run_once(kit.now)
    assert (await kit.task(task.id)).status is TaskStatus.PENDING
    assert kit.view.fleet.running("a") == 0


async def test_a_leader_that_was_away_for_too_long_does_not_even_ask() -> None:
    kit = ControlKit()
    await kit.join()
    await kit.submit()
    lead = Lead(kit.clock, 1, kit.clock.monotonic() + 10.0)
    schedule = Schedule(kit.context, lead, FleetView(kit.context))
    kit.clock.advance(10.0)
    kit.store.calls.clear()
    with pytest.raises(NotLeaderError):
        await schedule.run_once(kit.now)
    assert "change_tasks" not in kit.store.calls


async def test_nodes_and_clusters_that_change_are_seen_within_a_second() -> None:
    kit = ControlKit()
    await kit.join("a")
    await kit.submit()
    await update_cluster(kit.context, "default", {"status": "maintenance"})
    assert await kit.place() == 0
    await update_cluster(kit.context, "default", {"status": "active"})
    kit.clock.advance(1.0)
    assert await kit.place() == 1
    await remove_node(kit.context, "a")
    kit.clock.advance(1.0)
    assert await kit.place() == 0
    await kit.join("b")
    kit.clock.advance(1.0)
    assert await kit.place() == 1


async def test_an_idle_round_asks_one_question() -> None:
    kit = ControlKit()
    await kit.join()
    await kit.leads()
    kit.store.calls.clear()
    assert await kit.schedule.run_once(kit.now) == 0
    assert kit.store.calls == ["queue_heads"]


async def test_a_new_leader_counts_what_runs_already() -> None:
    kit = ControlKit()
    await kit.join(slots=2)
    await kit.submit(2)
    await kit.place()
    await kit.submit(1)
    schedule = Schedule(kit.context, kit.lead, FleetView(kit.context))
    assert await schedule.run_once(kit.now) == 0


async def test_loops_that_begin_at_the_same_time_see_the_same_fleet() -> None:
    kit = ControlKit()
    await kit.join(slots=2)
    await kit.submit(2)
    await kit.place()
    await kit.submit(1)
    view = FleetView(kit.context)
    going = asyncio.Event()
    kit.store.calls.clear()
    kit.store.before["nodes_changed_since"] = going.wait  # type: ignore[assignment]
    sweep = asyncio.create_task(view.refresh_nodes())
    placing = asyncio.create_task(Schedule(kit.context, kit.lead, view).run_once(kit.now))
    while "nodes_changed_since" not in kit.store.calls:
        await asyncio.sleep(0)
    going.set()
    await sweep
    assert await placing == 0


async def test_content_based_placement_learns_from_what_went_well() -> None:
    kit = ControlKit()
    nodes = {name: await kit.join(name, slots=5) for name in ("a", "b")}
    features = {"content_type": "html", "technology": "react"}
    [task] = await kit.submit(schedule_strategy="content_based", content_features=features)
    await kit.place()
    first = (await kit.task(task.id)).assigned_node
    assert first is not None
    await kit.report(nodes[first], *(await kit.pull(nodes[first])).assignments)
    await kit.submit(schedule_strategy="content_based", content_features=features)
    other = await kit.submit(schedule_strategy="content_based", content_features=features)
    await kit.place()
    assert {(await kit.task(task.id)).assigned_node for task in other} == {first}


async def test_a_changed_priority_changes_the_order() -> None:
    kit = ControlKit()
    await kit.join(slots=1)
    first, second = await kit.submit(2)
    await reprioritize(kit.context, second.id, 10)
    await kit.place()
    assert (await kit.task(second.id)).status is TaskStatus.ASSIGNED
    assert (await kit.task(first.id)).status is TaskStatus.PENDING


async def test_rounds_are_measured() -> None:
    kit = ControlKit()
    measured: Counter[str] = Counter()

    class Noting(NoMeasurements):
        def add(self, metric: Metric, amount: float = 1.0, *labels: str) -> None:
            measured[metric.name] += int(amount)

        def observe(self, metric: Metric, value: float, *labels: str) -> None:
            measured[metric.name] += 1

    kit.context = replace(kit.context, measurements=Noting())
    await kit.join(slots=2)
    await kit.submit(3)
    await kit.leads()
    assert await kit.schedule.run_once(kit.now) == 2
    assert await kit.schedule.run_once(kit.now) == 0
    assert (measured[ROUNDS.name], measured[ROUND_SECONDS.name], measured[PLACED.name]) == (2, 2, 2)
