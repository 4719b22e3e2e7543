"""What every use case needs: the stores, the clock, and the numbers to work by."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from crawlmesh.control.broker import Broker
from crawlmesh.control.ids import IdMaker
from crawlmesh.control.options import ControlOptions
from crawlmesh.control.outbox import Outbox
from crawlmesh.control.remembered import Remembered
from crawlmesh.control.signals import Signals
from crawlmesh.model.task import WEB_CRAWL
from crawlmesh.observability.metrics import Measurements, NoMeasurements
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.rules.placement.base import Strategy

__all__ = ["BUILT_IN_TASK_TYPES", "CheckParameters", "ControlContext", "ControlOptions"]

CheckParameters = Callable[[str, dict[str, Any]], None]
"""Takes the type and the parameters of a task; raises InvalidError naming the field `parameters.…`."""

BUILT_IN_TASK_TYPES = frozenset({WEB_CRAWL, "noop"})


def accept_all(task_type: str, parameters: dict[str, Any]) -> None:
    """A check that refuses nothing."""


@dataclass(frozen=True, slots=True)
class ControlContext:
    """One for each master. What it remembers may be forgotten at any time; only the stores matter."""

    store: ControlStore
    crawl_store: CrawlStore
    clock: Clock
    options: ControlOptions
    strategies: Mapping[str, Strategy]
    check_parameters: CheckParameters = accept_all
    random: Random = field(default_factory=Random)
    task_types: frozenset[str] = BUILT_IN_TASK_TYPES
    remembered: Remembered = field(default_factory=Remembered)
    signals: Signals = field(default_factory=Signals)
    measurements: Measurements = field(default_factory=NoMeasurements)
    task_channel: Broker | None = None
    event_bus: Broker | None = None
    crawl_store_address: str = ""  # without a password
    outbox: Outbox = field(default_factory=Outbox)
    ids: IdMaker = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ids", IdMaker(self.clock.now, self.random))

    def jitter(self) -> float:
        """A random number in 0 … 1 for the rules."""
        return self.random.random()
