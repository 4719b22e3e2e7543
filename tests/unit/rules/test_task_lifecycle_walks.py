"""Everything that can happen to a task, in any order: only moves of the table, and the invariants hold."""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.rules import task_lifecycle as life
from tests.unit.rules.cluster_builders import OPEN, execution, pending, report

OPTIONS = life.RetryOptions()
MAX_LOSSES = 4
picks = st.integers(0, 7)


class TaskWalk(RuleBasedStateMachine):
    task: Task
    executions: dict[str, Execution]
    crawl_left: bool

    @initialize(max_nodes=st.integers(1, 3), max_retries=st.integers(0, 2))
    def submit(self, max_nodes: int, max_retries: int) -> None:
        self.task = pending(max_nodes, max_retries=max_retries)
        self.executions = {}
        self.crawl_left = True
        self.now = 1.0

    @property
    def running(self) -> list[Execution]:
        return [one for one in self.executions.values() if one.status is ExecutionStatus.RUNNING]

    @property
    def working(self) -> list[Execution]:
        return [one for one in self.running if one.stop is None]

    def one_running(self, pick: int) -> Execution:
        return self.running[pick % len(self.running)]

    def apply(self, change: TaskChange) -> None:
        before, after = self.task, change.task
        assert after.fence == before.fence + 1
        assert after.status is before.status or after.status in life.MOVES[before.status]
        for one in change.executions:
            earlier = self.executions.get(one.id)
            assert earlier is None or earlier.status is ExecutionStatus.RUNNING
            self.executions[one.id] = one
        self.task = after
        self.now += 1.0

    @precondition(lambda self: self.task.open_places > 0)
    @rule()
    def place(self) -> None:
        name = f"e{len(self.executions)}"
        self.apply(life.placed(self.task, execution(name, f"node-{name}"), self.now))

    @precondition(lambda self: self.running)
    @rule(pick=picks)
    def start(self, pick: int) -> None:
        self.apply(life.started(self.task, self.one_running(pick), self.now))

    @precondition(lambda self: self.running)
    @rule(pick=picks, empties_the_crawl=st.booleans())
    def complete(self, pick: int, empties_the_crawl: bool) -> None:
        if empties_the_crawl:
            self.crawl_left = False
        self.end(pick, "completed")
        if not self.crawl_left and not self.running:
            assert self.task.ended

    @precondition(lambda self: self.running)
    @rule(pick=picks, retry=st.booleans())
    def fail(self, pick: int, retry: bool) -> None:
        self.end(pick, "failed", retry=retry)

    @precondition(lambda self: self.running)
    @rule(pick=picks)
    def stop(self, pick: int) -> None:
        self.end(pick, "stopped")

    def end(self, pick: int, outcome: str, **fields: Any) -> None:
        one = self.one_running(pick)
        told = report(outcome, **fields)
        self.apply(
            life.reported(self.task, one, told, self.running, self.now, OPTIONS, 0.5, not self.crawl_left)
        )

    @precondition(lambda self: self.running)
    @rule(pick=picks)
    def lose_the_node(self, pick: int) -> None:
        self.apply(life.lost(self.task, [self.one_running(pick)], self.running, self.now, MAX_LOSSES))

    @precondition(lambda self: self.running)
    @rule(pick=picks)
    def time_out(self, pick: int) -> None:
        one = self.one_running(pick)
        self.apply(life.timed_out(self.task, one, self.running, self.now, OPTIONS, 0.5))

    @precondition(lambda self: self.running)
    @rule(pick=picks)
    def release(self, pick: int) -> None:
        self.apply(life.released(self.task, [self.one_running(pick)], self.running, self.now))

    @precondition(lambda self: not self.crawl_left)
    @rule()
    def notice_that_the_crawl_is_finished(self) -> None:
        self.apply(life.finished(self.task, self.running, self.now))
        assert self.task.ended or self.running

    @precondition(lambda self: self.task.status is TaskStatus.WAITING)
    @rule()
    def wake(self) -> None:
        self.apply(life.woken(self.task, self.now))

    @precondition(lambda self: TaskStatus.PAUSED in life.MOVES[self.task.status])
    @rule()
    def pause(self) -> None:
        self.apply(life.paused(self.task, self.running, self.now))

    @precondition(lambda self: self.task.status is TaskStatus.PAUSED)
    @rule()
    def resume(self) -> None:
        self.apply(life.resumed(self.task, self.running, self.now))

    @precondition(lambda self: TaskStatus.CANCELLED in life.MOVES[self.task.status])
    @rule()
    def cancel(self) -> None:
        self.apply(life.cancelled(self.task, self.running, self.now))

    @precondition(lambda self: self.task.ended)
    @rule()
    def retry(self) -> None:
        self.crawl_left = True
        self.apply(life.retried(self.task, self.running, self.now))

    @invariant()
    def places_are_never_more_than_allowed(self) -> None:
        assert self.task.open_places >= 0
        assert self.task.open_places + len(self.working) <= self.task.max_nodes

    @invariant()
    def places_are_open_only_where_the_scheduler_may_use_them(self) -> None:
        assert self.task.status in OPEN or self.task.open_places == 0

    @invariant()
    def pending_is_when_nobody_works_and_a_place_is_open(self) -> None:
        waits_for_a_node = not self.working and self.task.open_places > 0
        assert (self.task.status is TaskStatus.PENDING) == waits_for_a_node

    @invariant()
    def whoever_is_assigned_or_processing_has_an_execution(self) -> None:
        if self.task.status in {TaskStatus.ASSIGNED, TaskStatus.PROCESSING}:
            assert self.running

    @invariant()
    def nobody_works_on_a_task_that_rests(self) -> None:
        assert self.task.status in OPEN or not self.working

    @invariant()
    def completed_is_when_nothing_is_left_and_nothing_runs(self) -> None:
        if self.task.status is TaskStatus.COMPLETED:
            assert not self.crawl_left
            assert not self.running

    @invariant()
    def ended_executions_say_when_and_why(self) -> None:
        for one in self.executions.values():
            has_ended = one.status is not ExecutionStatus.RUNNING
            assert has_ended == (one.end_time is not None) == (one.ended_by is not None)

    @invariant()
    def ended_tasks_say_when(self) -> None:
        assert self.task.ended == (self.task.completed_at is not None)


TestTaskWalk = TaskWalk.TestCase
TestTaskWalk.settings = settings(max_examples=200, stateful_step_count=40, deadline=None)
