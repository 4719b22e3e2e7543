"""What the scheduler writes into the log about its choices."""

import logging

from crawlmesh.model.change import TaskChange
from crawlmesh.model.task import Task
from crawlmesh.rules.placement.fleet import Fleet, Placement

_SUMMARY_PAUSE = 10.0  # seconds between two lines that sum up rounds
_FAILURE_PAUSE = 60.0  # seconds between two lines about the same strategy

_balance = logging.getLogger("crawlmesh.LB")
_scheduler = logging.getLogger("crawlmesh.SCHED")


class PlacementLog:
    """Every choice is a line for those who look for a fault; all others get a sum now and then."""

    def __init__(self) -> None:
        self._executions = 0
        self._nodes: set[str] = set()
        self._next_summary = float("-inf")
        self._next_failure: dict[str, float] = {}

    def chose(self, task: Task, placement: Placement) -> None:
        """A node was chosen."""
        if _balance.isEnabledFor(logging.DEBUG):
            _balance.debug(
                "task %s goes to node %s by %s: %s",
                task.id,
                placement.node_id,
                placement.strategy,
                placement.choice,
            )

    def wrote(self, changes: list[TaskChange], taken: list[bool]) -> None:
        """Placements were written; those that came too late were not taken."""
        placed = [change.executions[0] for change, done in zip(changes, taken, strict=True) if done]
        self._executions += len(placed)
        self._nodes.update(execution.node_id for execution in placed)
        _scheduler.debug("placed %d of %d tasks", len(placed), len(changes))

    def round_ended(self, fleet: Fleet, now: float) -> None:
        """Sum up what was placed, and name strategies that fail."""
        for name, error in fleet.failures.items():
            if now >= self._next_failure.get(name, float("-inf")):
                self._next_failure[name] = now + _FAILURE_PAUSE
                _balance.error("the strategy %s failed; its tasks wait", name, exc_info=error)
        if self._executions and now >= self._next_summary:
            self._next_summary = now + _SUMMARY_PAUSE
            _balance.info("executions placed: %d, on nodes: %d", self._executions, len(self._nodes))
            self._executions = 0
            self._nodes.clear()
