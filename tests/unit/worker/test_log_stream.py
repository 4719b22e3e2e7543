import asyncio

import pytest

from crawlmesh.errors import InvalidError
from crawlmesh.protocol.node_messages import LogMessage
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.worker import log_stream
from crawlmesh.worker.log_stream import LogStream
from tests.unit.control.kit import ControlKit
from tests.unit.worker.control_master import ControlMaster


class Listening(ControlMaster):
    def __init__(self) -> None:
        super().__init__(ControlKit())
        self.messages: list[LogMessage] = []
        self.refuse = False

    async def logs(self, message: LogMessage) -> None:
        self._answer()
        self.messages.append(message)
        if self.refuse:
            raise InvalidError("no")


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_stream, "_PAUSE", 0.0)


async def _flush(stream: LogStream) -> None:
    running = asyncio.ensure_future(stream.run(1))
    await stream.flushed()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def test_lines_gather_and_go_together() -> None:
    master = Listening()
    stream = LogStream(master, ManualClock())
    stream.append("e", "t", "info", "one")
    stream.append("e", "t", "strange", "x" * 10_000)
    await _flush(stream)
    (message,) = master.messages
    assert [(line.level, len(line.message)) for line in message.lines] == [("INFO", 3), ("INFO", 8_001)]


async def test_too_many_lines_drop_the_oldest_and_say_so() -> None:
    master = Listening()
    stream = LogStream(master, ManualClock(), most_lines=3)
    for number in range(5):
        stream.append("e", "t", "INFO", str(number))
    await _flush(stream)
    lines = [line.message for line in master.messages[0].lines]
    assert lines[0].startswith("3 lines before this were dropped")
    assert lines[1:] == ["3", "4"]


async def test_lines_wait_for_the_master() -> None:
    master = Listening()
    master.down = True
    stream = LogStream(master, ManualClock())
    stream.append("e", "t", "INFO", "one")
    running = asyncio.ensure_future(stream.run(1))
    await master.asked_in_vain.wait()
    master.down = False
    await stream.flushed()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert len(master.messages) == 1


async def test_lines_that_nobody_wants_are_let_go() -> None:
    master = Listening()
    master.refuse = True
    stream = LogStream(master, ManualClock())
    stream.append("e", "t", "INFO", "one")
    await _flush(stream)
