import asyncio

from crawlmesh.errors import ConflictError, InvalidError
from crawlmesh.model.task import TaskResult
from crawlmesh.protocol.node_messages import ExecutionReport, ReportAnswer, ReportMessage
from crawlmesh.worker.reporter import Reporter
from tests.unit.control.kit import ControlKit
from tests.unit.worker.control_master import ControlMaster


class Picky(ControlMaster):
    """Refuses results that are too large."""

    def __init__(self) -> None:
        super().__init__(ControlKit())
        self.messages: list[ReportMessage] = []
        self.conflicts = 0

    async def report(self, message: ReportMessage) -> ReportAnswer:
        if self.conflicts:
            self.conflicts -= 1
            raise ConflictError("again")
        if any(report.result and report.result.data.get("large") for report in message.reports):
            raise InvalidError("The body is too large.")
        self.messages.append(message)
        return ReportAnswer(taken=(True,) * len(message.reports))


def _report(name: str, **data: object) -> ExecutionReport:
    result = TaskResult(success=True, data=data)
    return ExecutionReport(execution_id=name, fence=1, outcome="completed", result=result)


async def _flush(reporter: Reporter) -> None:
    running = asyncio.ensure_future(reporter.run(1))
    await reporter.flushed()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_reports_go_together() -> None:
    master = Picky()
    answered: list[str] = []
    reporter = Reporter(master, answered.append)
    for name in ("a", "b", "c"):
        reporter.add(_report(name))
    await _flush(reporter)
    assert [len(message.reports) for message in master.messages] == [3]
    assert answered == ["a", "b", "c"]


async def test_a_result_that_is_refused_fails_alone() -> None:
    master = Picky()
    answered: list[str] = []
    reporter = Reporter(master, answered.append)
    reporter.add(_report("a"))
    reporter.add(_report("b", large=True))
    await _flush(reporter)
    outcomes = {report.execution_id: report.outcome for m in master.messages for report in m.reports}
    assert outcomes == {"a": "completed", "b": "failed"}
    assert answered == ["a", "b"]


async def test_a_conflict_is_tried_again() -> None:
    master = Picky()
    answered: list[str] = []
    master.conflicts = 1
    reporter = Reporter(master, answered.append)
    reporter.add(_report("a"))
    await _flush(reporter)
    assert answered == ["a"]


async def test_dropped_reports_are_never_sent() -> None:
    master = Picky()
    answered: list[str] = []
    reporter = Reporter(master, answered.append)
    reporter.add(_report("a"))
    reporter.drop_all()
    await _flush(reporter)
    assert master.messages == []
