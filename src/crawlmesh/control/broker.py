"""A message broker, as masters know it."""

from typing import Literal, NamedTuple

import msgspec

from crawlmesh.ports.task_channel import TaskChannel


class Broker(NamedTuple):
    """Where it is, without the password, and the way to it."""

    address: str
    channel: TaskChannel


class BrokerState(msgspec.Struct, frozen=True):
    """How a broker stands. `unused`: this master has had no use for it, as it does not lead."""

    address: str
    state: Literal["connected", "away", "unused"]


def broker_state(broker: Broker | None, *, leads: bool) -> BrokerState | None:
    """How a broker stands for a master that leads or does not."""
    if broker is None:
        return None
    if broker.channel.is_connected:
        return BrokerState(broker.address, "connected")
    return BrokerState(broker.address, "away" if leads else "unused")
