import logging

import pytest

from crawlmesh.control.loops.placement_log import PlacementLog
from crawlmesh.rules.placement.fleet import Fleet
from tests.unit.control.kit import ControlKit


async def test_choices_are_told_one_by_one_and_summed_up(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "crawlmesh")
    kit = ControlKit()
    await kit.join(slots=8)
    [task] = await kit.submit()
    await kit.place()
    told = [(record.name, record.levelname, record.getMessage()) for record in caplog.records]
    choices = [line for line in told if line[:2] == ("crawlmesh.LB", "DEBUG")]
    assert len(choices) == 1
    assert task.id in choices[0][2]
    assert ("crawlmesh.LB", "INFO", "executions placed: 1, on nodes: 1") in told
    caplog.clear()
    await kit.submit(3)
    await kit.place()
    assert not [record for record in caplog.records if record.levelname == "INFO"]
    kit.clock.advance(10.0)
    await kit.place()
    assert [record.getMessage() for record in caplog.records if record.levelname == "INFO"] == [
        "executions placed: 3, on nodes: 1"
    ]


def test_a_strategy_that_fails_is_told_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    fleet, log = Fleet(), PlacementLog()
    fleet.failures["mine"] = ValueError("a fault")
    for now in (0.0, 1.0, 59.0, 60.0):
        log.round_ended(fleet, now)
    assert [record.getMessage() for record in caplog.records] == [
        "the strategy mine failed; its tasks wait"
    ] * 2
    assert "a fault" in caplog.text
