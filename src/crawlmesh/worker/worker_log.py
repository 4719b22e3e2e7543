"""What a node writes into the log of its machine, under the tag `WORKER-` and its id."""

from typing import Literal

from crawlmesh.model.execution import Assignment
from crawlmesh.observability.logging import Tag, TaggedLogger, log_for
from crawlmesh.ports.clock import Clock
from crawlmesh.protocol.node_messages import ExecutionReport

_LINES = 5  # about executions within a second; further ones are only for those who look for a fault

Presence = Literal["away", "there"]


class WorkerLog:
    """Says what happens to the node once, however often it is noticed."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._log: TaggedLogger = log_for(Tag.WORKER)
        self._masters: Presence = "there"
        self._second = float("-inf")
        self._lines = 0

    def started(self, name: str, slots: int) -> None:
        """The process began."""
        self._log.info("The node starts.", name=name, slots=slots)

    def registered(self, node_id: str, session: int, status: str) -> None:
        """A master knows the node."""
        self._log = log_for(Tag.WORKER, node_id)
        self._masters = "there"
        self._log.info("A master registered the node.", session=session, status=status)

    def refused(self, error: BaseException | None) -> None:
        """The node must register again; what it works on is somebody else's."""
        self._log.warning(
            "The node must register again, and drops its work.", reason=error or "it was told so"
        )

    def masters_are_away(self) -> None:
        """No master answered."""
        if self._masters == "there":
            self._masters = "away"
            self._log.warning("No master answers; the node goes on and keeps asking.")

    def masters_are_there(self) -> None:
        """A master answered."""
        if self._masters == "away":
            self._masters = "there"
            self._log.info("A master answers again.")

    def drains(self, running: int) -> None:
        """The node is about to leave."""
        self._log.info("The node takes nothing new and gives back what it has.", executions=running)

    def left(self) -> None:
        """The node said goodbye."""
        self._log.info("The node has left.")

    def took(self, assignment: Assignment) -> None:
        """An execution begins."""
        execution, task = assignment.execution, assignment.task
        self._about_work(
            "Took an execution.", execution_id=execution.id, task_id=task.id, task_type=task.task_type
        )

    def ended(self, report: ExecutionReport, task_id: str, seconds: float) -> None:
        """An execution ended."""
        if report.outcome == "failed":
            error = (report.result.error if report.result else None) or "no error was told"
            self._log.warning(
                "An execution failed.", execution_id=report.execution_id, task_id=task_id, error=error[:500]
            )
            return
        self._about_work(
            "An execution ended.",
            execution_id=report.execution_id,
            task_id=task_id,
            outcome=report.outcome,
            seconds=round(seconds, 3),
        )

    def _about_work(self, message: str, **fields: object) -> None:
        """A line that people see while there are few, so that small tasks do not fill the file."""
        now = self._clock.monotonic()
        if now - self._second >= 1.0:
            self._second, self._lines = now, 0
        self._lines += 1
        (self._log.info if self._lines <= _LINES else self._log.debug)(message, **fields)
