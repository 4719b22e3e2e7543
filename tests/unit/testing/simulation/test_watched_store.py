import pytest
from msgspec.structs import replace

from crawlmesh.model.change import NodeChange, TaskChange
from crawlmesh.model.execution import EndedBy, Execution, ExecutionStatus
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.model.query import Submission
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.testing.simulation.watched_store import BrokenInvariantError, WatchedStore

TASK = Task(id="task", task_type="noop", parameters={}, queue="queue")
PLACED = replace(TASK, fence=2, status=TaskStatus.ASSIGNED, open_places=0)
EXECUTION = Execution(id="execution", task_id="task", node_id="node", fence=2)


async def _store_with_a_placed_task() -> WatchedStore:
    store = WatchedStore()
    await store.submit([Submission(task=TASK)], 0.0)
    assert await store.change_tasks([TaskChange(task=PLACED, executions=(EXECUTION,))]) == [True]
    return store


def _next(**fields: object) -> Task:
    return replace(PLACED, fence=3, **fields)


async def test_a_placement_and_an_end_are_counted() -> None:
    store = await _store_with_a_placed_task()
    ended = replace(EXECUTION, status=ExecutionStatus.COMPLETED, ended_by=EndedBy.FINISHED)
    change = TaskChange(task=_next(status=TaskStatus.COMPLETED), executions=(ended,))
    assert await store.change_tasks([change]) == [True]
    assert await store.change_tasks([change]) == [False]
    assert (store.placements, store.refusals, dict(store.ends)) == (1, 1, {"task": 1})
    assert not store.unfinished


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (TaskChange(task=_next(status=TaskStatus.COMPLETED)), "is completed while 1 executions run"),
        (TaskChange(task=_next(open_places=1)), "has 2 places of 1"),
        (
            TaskChange(task=_next(), executions=(replace(EXECUTION, id="other", node_id="elsewhere"),)),
            "is on 2 nodes at once",
        ),
        (
            TaskChange(
                task=_next(),
                executions=(replace(EXECUTION, id="other", stop=EndedBy.RELEASED),),
            ),
            "is twice on one node",
        ),
    ],
)
async def test_a_change_that_breaks_an_invariant_is_found(change: TaskChange, what: str) -> None:
    store = await _store_with_a_placed_task()
    with pytest.raises(BrokenInvariantError, match=what):
        await store.change_tasks([change])


async def test_more_open_places_than_nodes_are_found_without_any_execution() -> None:
    store = WatchedStore()
    await store.submit([Submission(task=TASK)], 0.0)
    with pytest.raises(BrokenInvariantError, match="has 2 places of 1"):
        await store.change_tasks([TaskChange(task=replace(TASK, fence=2, open_places=2))])


async def test_a_move_that_the_table_does_not_allow_is_found() -> None:
    store = WatchedStore()
    await store.submit([Submission(task=TASK)], 0.0)
    with pytest.raises(BrokenInvariantError, match="went from pending to failed"):
        await store.change_tasks([TaskChange(task=replace(TASK, fence=2, status=TaskStatus.FAILED))])


async def test_an_execution_that_changes_after_its_end_is_found() -> None:
    store = await _store_with_a_placed_task()
    ended = replace(EXECUTION, status=ExecutionStatus.COMPLETED, ended_by=EndedBy.FINISHED)
    done = _next(status=TaskStatus.COMPLETED)
    await store.change_tasks([TaskChange(task=done, executions=(ended,))])
    with pytest.raises(BrokenInvariantError, match="changed after its end"):
        await store.change_tasks([TaskChange(task=replace(done, fence=4), executions=(ended,))])


async def test_a_node_that_moves_where_it_may_not_is_found() -> None:
    store = WatchedStore()
    node = Node(id="node", identity="node", name="node", status=NodeStatus.OFFLINE)
    await store.change_nodes([NodeChange(node=replace(node, fence=1))])
    with pytest.raises(BrokenInvariantError, match="went from offline to draining"):
        await store.change_nodes([NodeChange(node=replace(node, fence=2, status=NodeStatus.DRAINING))])
