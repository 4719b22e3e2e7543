import pytest
from msgspec.structs import replace

from crawlmesh.errors import ConflictError, InvalidError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import EndedBy, Execution, ExecutionStatus
from crawlmesh.model.task import ENDED, Task, TaskResult, TaskStatus
from crawlmesh.rules.task_lifecycle import (
    MOVES,
    RetryOptions,
    cancelled,
    check_move,
    finished,
    lost,
    paused,
    placed,
    released,
    reported,
    reprioritized,
    resumed,
    retried,
    started,
    timed_out,
    woken,
)
from tests.unit.rules.cluster_builders import execution, pending, report, task

NOW = 100.0
OPTIONS = RetryOptions(base=4.0, cap=60.0)
FIRST = execution("e1", "node-1")
SECOND = execution("e2", "node-2")


def processing(max_nodes: int = 1, working: int = 1, **fields: object) -> Task:
    return task(
        status=TaskStatus.PROCESSING, max_nodes=max_nodes, open_places=max_nodes - working, fence=7, **fields
    )


def ends(
    before: Task, outcome: str, *running: Execution, finished: bool | None = True, **fields: object
) -> TaskChange:
    """The first of the running executions reports."""
    return reported(before, running[0], report(outcome, **fields), running, NOW, OPTIONS, 0.5, finished)


def kinds(change: TaskChange) -> list[EventType]:
    return [event.type for event in change.events]


def stops(change: TaskChange) -> dict[str, EndedBy | None]:
    return {one.id: one.stop for one in change.executions if one.status is ExecutionStatus.RUNNING}


def test_the_table_has_every_status_and_no_move_to_itself() -> None:
    assert set(MOVES) == set(TaskStatus)
    assert all(status not in targets for status, targets in MOVES.items())


@pytest.mark.parametrize("status", sorted(ENDED))
def test_an_ended_task_can_only_begin_again(status: TaskStatus) -> None:
    assert MOVES[status] == {TaskStatus.PENDING}


def test_a_move_outside_of_the_table_names_the_task_and_what_is_possible() -> None:
    with pytest.raises(
        ConflictError, match=r"task-1 is completed and cannot become paused; possible: pending"
    ):
        check_move(task(status=TaskStatus.COMPLETED), TaskStatus.PAUSED)


def test_a_placed_task_is_assigned_and_its_execution_has_the_new_fence() -> None:
    change = placed(pending(max_nodes=2, fence=3), FIRST, NOW)
    assert (change.task.status, change.task.open_places, change.task.fence) == (TaskStatus.ASSIGNED, 1, 4)
    assert (change.task.assigned_node, change.task.assigned_at) == ("node-1", NOW)
    assert change.executions[0].fence == 4
    assert kinds(change) == [EventType.TASK_ASSIGNED]
    assert change.events[0].data["node_id"] == "node-1"


def test_a_second_node_does_not_set_a_processing_task_back() -> None:
    change = placed(processing(max_nodes=2), SECOND, NOW)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PROCESSING, 0)


@pytest.mark.parametrize("status", [TaskStatus.WAITING, TaskStatus.PAUSED, *sorted(ENDED)])
def test_only_a_task_with_open_places_is_placed(status: TaskStatus) -> None:
    with pytest.raises(ConflictError, match="no open place"):
        placed(task(status=status, open_places=0), FIRST, NOW)


def test_the_first_start_moves_the_task_and_stays_its_start() -> None:
    first = started(task(status=TaskStatus.ASSIGNED, open_places=0), FIRST, NOW).task
    assert (first.status, first.started_at) == (TaskStatus.PROCESSING, NOW)
    again = started(replace(first, status=TaskStatus.ASSIGNED), FIRST, NOW + 5).task
    assert again.started_at == NOW


def test_the_start_of_an_execution_that_shall_stop_moves_nothing() -> None:
    before = task(status=TaskStatus.PAUSED, open_places=0)
    assert started(before, execution(stop=EndedBy.PAUSED), NOW).task.status is TaskStatus.PAUSED


@pytest.mark.parametrize("crawl_finished", [True, None])
def test_the_only_execution_completes_the_task(crawl_finished: bool | None) -> None:
    result = TaskResult(success=True, metrics={"pages_crawled": 3})
    change = ends(processing(), "completed", FIRST, finished=crawl_finished, result=result)
    assert (change.task.status, change.task.completed_at) == (TaskStatus.COMPLETED, NOW)
    assert change.task.result == result
    assert (change.executions[0].ended_by, change.executions[0].metrics) == (
        EndedBy.FINISHED,
        {"pages_crawled": 3},
    )
    assert kinds(change) == [EventType.TASK_COMPLETED]
    assert change.events[0].data["result"]["metrics"] == {"pages_crawled": 3}


def test_a_node_that_ends_before_its_crawl_opens_its_place_again() -> None:
    change = ends(processing(max_nodes=2, working=2), "completed", FIRST, SECOND, finished=False)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PROCESSING, 1)
    last = ends(processing(max_nodes=2), "completed", FIRST, finished=False)
    assert (last.task.status, last.task.open_places) == (TaskStatus.PENDING, 2)


def test_the_others_finish_when_one_finds_the_crawl_finished_and_the_last_completes_the_task() -> None:
    first = ends(processing(max_nodes=3, working=2), "completed", FIRST, SECOND)
    assert (first.task.status, first.task.open_places) == (TaskStatus.PROCESSING, 0)
    assert stops(first) == {"e2": EndedBy.FINISHED}
    assert not first.events
    for outcome in ("completed", "stopped", "failed"):
        last = ends(first.task, outcome, first.executions[1])
        assert last.task.status is TaskStatus.COMPLETED
        assert kinds(last) == [EventType.TASK_COMPLETED]


@pytest.mark.parametrize("outcome", ["completed", "stopped", "failed"])
def test_the_first_successful_result_stays_that_of_a_task_without_a_crawl(outcome: str) -> None:
    before = processing(max_nodes=2, working=2, task_type="python")
    good = TaskResult(success=True, data={"answer": 42})
    first = ends(before, "completed", FIRST, SECOND, finished=None, result=good)
    later = TaskResult(success=False, error="It was stopped.")
    last = ends(first.task, outcome, first.executions[1], finished=None, result=later)
    assert (last.task.status, last.task.result) == (TaskStatus.COMPLETED, good)
    assert last.events[0].data["result"]["data"] == {"answer": 42}
    gone = lost(first.task, first.executions[1:], first.executions[1:], NOW, 10)
    assert (gone.task.status, gone.task.result) == (TaskStatus.COMPLETED, good)


def test_a_lost_or_overdue_node_that_was_finishing_completes_the_task() -> None:
    before, finishing = processing(), execution(stop=EndedBy.FINISHED)
    assert lost(before, [finishing], [finishing], NOW, 10).task.status is TaskStatus.COMPLETED
    assert timed_out(before, finishing, [finishing], NOW, OPTIONS, 0.5).task.status is TaskStatus.COMPLETED


def test_links_that_came_back_reopen_a_task_that_was_finishing() -> None:
    change = ends(processing(), "stopped", execution(stop=EndedBy.FINISHED), finished=False)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PENDING, 1)


def test_a_failure_waits_longer_each_time_and_is_then_a_dead_letter() -> None:
    before, delays = processing(max_retries=3), []
    while True:
        change = ends(
            before, "failed", FIRST, finished=False, result=TaskResult(success=False, error="Boom.")
        )
        if change.task.status is not TaskStatus.WAITING:
            break
        delays.append(change.task.not_before - NOW)
        assert change.task.open_places == 0
        before = replace(woken(change.task, NOW).task, status=TaskStatus.PROCESSING, open_places=0)
    assert delays == [2.0, 4.0, 8.0]
    assert (change.task.status, change.task.retry_count) == (TaskStatus.FAILED, 3)
    assert change.task.reason == "It failed on node node-1: Boom."
    assert (change.task.result and change.task.result.error) == "Boom."
    assert kinds(change) == [EventType.TASK_FAILED]


def test_a_failure_that_no_retry_helps_ends_the_task_and_stops_the_others() -> None:
    change = ends(processing(max_nodes=2, working=2), "failed", FIRST, SECOND, retry=False, finished=False)
    assert change.task.status is TaskStatus.FAILED
    assert stops(change) == {"e2": EndedBy.RELEASED}
    late = ends(change.task, "stopped", change.executions[1], finished=False)
    assert (late.task.status, late.task.open_places) == (TaskStatus.FAILED, 0)


def test_a_failing_node_leaves_its_share_to_the_others() -> None:
    change = ends(processing(max_nodes=2, working=2), "failed", FIRST, SECOND, finished=False)
    assert (change.task.status, change.task.open_places, change.task.retry_count) == (
        TaskStatus.PROCESSING,
        0,
        0,
    )
    assert stops(change) == {}
    last = ends(change.task, "completed", SECOND)
    assert last.task.status is TaskStatus.COMPLETED


def test_a_node_that_leaves_opens_its_place() -> None:
    change = ends(processing(), "stopped", FIRST, finished=False)
    assert (change.task.status, change.executions[0].ended_by) == (TaskStatus.PENDING, EndedBy.RELEASED)


def test_an_empty_crawl_is_not_taken_for_a_finished_one() -> None:
    assert ends(processing(), "stopped", FIRST).task.status is TaskStatus.PENDING
    assert ends(processing(), "failed", FIRST).task.status is TaskStatus.WAITING


def test_released_executions_give_their_places_at_once_and_only_once() -> None:
    change = released(processing(), [FIRST], [FIRST], NOW)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PENDING, 1)
    assert stops(change) == {"e1": EndedBy.RELEASED}
    elsewhere = placed(change.task, SECOND, NOW).task
    late = ends(elsewhere, "stopped", change.executions[0], SECOND, finished=False)
    assert (late.task.status, late.task.open_places) == (TaskStatus.ASSIGNED, 0)


def test_a_released_execution_that_was_told_otherwise_opens_its_place_at_its_end() -> None:
    change = ends(processing(), "stopped", execution(stop=EndedBy.RELEASED), finished=False)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PENDING, 1)


def test_a_lost_node_opens_its_places() -> None:
    change = lost(processing(max_nodes=2, working=2), [FIRST], [FIRST, SECOND], NOW, 10)
    assert (change.task.status, change.task.open_places, change.task.losses) == (TaskStatus.PROCESSING, 1, 1)
    assert (change.executions[0].status, change.executions[0].ended_by) == (
        ExecutionStatus.FAILED,
        EndedBy.NODE_LOST,
    )
    assert kinds(change) == [EventType.TASK_REASSIGN]
    assert lost(processing(), [FIRST], [FIRST], NOW, 10).task.status is TaskStatus.PENDING


def test_a_node_that_is_lost_while_it_hands_over_is_no_loss_to_the_task() -> None:
    change = released(processing(losses=2), [FIRST], [FIRST], NOW)
    late = lost(change.task, change.executions, change.executions, NOW, 2)
    assert (late.task.status, late.task.open_places, late.task.losses) == (TaskStatus.PENDING, 1, 2)


def test_a_task_that_loses_too_many_nodes_fails() -> None:
    change = lost(processing(max_nodes=2, working=2, losses=2), [FIRST], [FIRST, SECOND], NOW, 2)
    assert (change.task.status, change.task.losses) == (TaskStatus.FAILED, 3)
    assert stops(change) == {"e2": EndedBy.RELEASED}
    assert kinds(change) == [EventType.TASK_FAILED]


def test_a_timeout_is_tried_again_and_then_final() -> None:
    again = timed_out(processing(max_retries=1), FIRST, [FIRST], NOW, OPTIONS, 1.0)
    assert (again.task.status, again.task.not_before, again.task.retry_count) == (
        TaskStatus.WAITING,
        NOW + 4,
        1,
    )
    assert again.events[0].data == {"task_id": "task-1", "node_id": "node-1", "retry_count": 1}
    final = timed_out(processing(max_retries=0), FIRST, [FIRST], NOW, OPTIONS, 1.0)
    assert (final.task.status, final.task.completed_at) == (TaskStatus.TIMEOUT, NOW)
    assert kinds(final) == [EventType.TASK_TIMEOUT]
    assert final.executions[0].ended_by is EndedBy.TIMEOUT


def test_the_others_go_on_when_one_go_times_out() -> None:
    change = timed_out(processing(max_nodes=2, working=2), FIRST, [FIRST, SECOND], NOW, OPTIONS, 1.0)
    assert (change.task.status, change.task.retry_count, stops(change)) == (TaskStatus.PROCESSING, 0, {})


def test_a_woken_task_is_pending_with_all_its_places() -> None:
    change = woken(task(status=TaskStatus.WAITING, open_places=0, max_nodes=3), NOW)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PENDING, 3)
    with pytest.raises(ConflictError, match="not waiting"):
        woken(pending(), NOW)


def test_a_paused_task_stays_paused_while_its_executions_end() -> None:
    change = paused(processing(max_nodes=2), [FIRST], NOW)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PAUSED, 0)
    assert stops(change) == {"e1": EndedBy.PAUSED}
    told = change.executions[0]
    for end in (
        ends(change.task, "stopped", told, finished=False),
        ends(change.task, "stopped", told),
        ends(change.task, "failed", told, finished=False),
        ends(change.task, "completed", told, finished=False),
        lost(change.task, [told], [told], NOW, 10),
        timed_out(change.task, told, [told], NOW, OPTIONS, 0.5),
    ):
        assert (end.task.status, end.task.open_places) == (TaskStatus.PAUSED, 0)
        assert (end.task.losses, end.task.retry_count) == (0, 0)
        assert not end.events


def test_a_paused_task_whose_last_node_had_finished_is_completed() -> None:
    told = execution(stop=EndedBy.PAUSED)
    change = ends(task(status=TaskStatus.PAUSED, open_places=0), "completed", told)
    assert change.task.status is TaskStatus.COMPLETED


def test_late_reports_do_not_disturb_a_resumed_task() -> None:
    told = execution(stop=EndedBy.PAUSED)
    change = resumed(task(status=TaskStatus.PAUSED, open_places=0, max_nodes=2), [told], NOW)
    assert (change.task.status, change.task.open_places) == (TaskStatus.PENDING, 2)
    for before in (change.task, placed(change.task, SECOND, NOW).task):
        late = ends(before, "stopped", told, SECOND, finished=False)
        assert (late.task.status, late.task.open_places) == (before.status, before.open_places)


def test_a_resumed_task_completes_when_the_old_execution_had_finished() -> None:
    told = execution(stop=EndedBy.PAUSED)
    before = resumed(task(status=TaskStatus.PAUSED, open_places=0), [told], NOW).task
    assert ends(before, "completed", told).task.status is TaskStatus.COMPLETED


def test_only_a_paused_task_is_resumed() -> None:
    with pytest.raises(ConflictError, match="only a paused task"):
        resumed(processing(), [FIRST], NOW)


def test_a_cancelled_task_stays_cancelled() -> None:
    change = cancelled(processing(), [FIRST, execution("e2", stop=EndedBy.PAUSED)], NOW)
    assert (change.task.status, change.task.completed_at) == (TaskStatus.CANCELLED, NOW)
    assert stops(change) == {"e1": EndedBy.CANCELLED, "e2": EndedBy.CANCELLED}
    late = ends(change.task, "completed", change.executions[0])
    assert (late.task.status, late.executions[0].ended_by) == (TaskStatus.CANCELLED, EndedBy.FINISHED)
    with pytest.raises(ConflictError):
        cancelled(change.task, [], NOW)


@pytest.mark.parametrize("status", sorted(ENDED))
def test_a_retried_task_begins_like_a_new_one(status: TaskStatus) -> None:
    before = task(status=status, open_places=0, retry_count=3, losses=4, completed_at=9.0, max_nodes=2)
    after = retried(before, [], NOW).task
    assert (after.status, after.open_places, after.retry_count, after.losses) == (TaskStatus.PENDING, 2, 0, 0)
    assert (after.result, after.completed_at) == (None, None)


def test_only_an_ended_task_is_retried() -> None:
    with pytest.raises(ConflictError, match="only an ended task"):
        retried(pending(), [], NOW)


def test_a_crawl_found_finished_completes_its_task() -> None:
    assert finished(pending(), [], NOW).task.status is TaskStatus.COMPLETED
    first = finished(processing(), [FIRST], NOW)
    assert (first.task.status, stops(first)) == (TaskStatus.PROCESSING, {"e1": EndedBy.FINISHED})


def test_a_priority_is_changed_within_its_bounds_while_it_means_something() -> None:
    assert reprioritized(pending(), 10, NOW).task.priority == 10
    with pytest.raises(InvalidError) as caught:
        reprioritized(pending(), 11, NOW)
    assert caught.value.field == "priority"
    with pytest.raises(ConflictError):
        reprioritized(task(status=TaskStatus.FAILED), 3, NOW)
