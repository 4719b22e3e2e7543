import logging

import pytest

from crawlmesh.adapters.memory.task_channel import MemoryTaskChannel
from crawlmesh.control.broker import Broker, BrokerState, broker_state
from crawlmesh.control.loops.watch_brokers import WatchBrokers
from tests.unit.control.channel_kit import ChannelKit


class Moody(MemoryTaskChannel):
    connected = True

    @property
    def is_connected(self) -> bool:
        return self.connected


async def test_a_broker_that_goes_away_and_comes_back_is_told_once_each(
    caplog: pytest.LogCaptureFixture,
) -> None:
    channel = Moody()
    kit = ChannelKit(channel)
    loop = WatchBrokers(kit.context, kit.lead)
    caplog.set_level(logging.INFO, "crawlmesh.CHANNEL")
    assert await loop.run_once(0.0) == 0
    channel.connected = False
    assert [await loop.run_once(0.0) for _ in range(4)] == [0, 1, 0, 0]
    channel.connected = True
    assert [await loop.run_once(0.0) for _ in range(2)] == [1, 0]
    assert [record.message for record in caplog.records] == [
        "The task_channel memory does not answer; it is tried again",
        "The task_channel memory answers again",
    ]


def test_how_a_broker_stands_depends_on_who_leads() -> None:
    channel = Moody()
    broker = Broker("memory", channel)
    assert broker_state(None, leads=True) is None
    assert broker_state(broker, leads=False) == BrokerState("memory", "connected")
    channel.connected = False
    assert broker_state(broker, leads=True) == BrokerState("memory", "away")
    assert broker_state(broker, leads=False) == BrokerState("memory", "unused")
