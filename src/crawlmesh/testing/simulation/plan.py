"""What a simulation consists of."""

import msgspec

from crawlmesh.control.options import ControlOptions
from crawlmesh.rules.task_lifecycle import RetryOptions


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a simulation, and how much goes wrong in it. Everything else follows from the seed."""

    seed: int = 1
    nodes: int = 100
    tasks: int = 2000
    masters: int = 2
    faults_for: int = 120  # ticks in which things go wrong
    tick: float = 2.0  # seconds
    most_ticks: int = 4000  # then something hangs

    node_faults: float = 0.05  # part of the nodes that something happens to in a tick, at most
    master_faults: float = 0.12  # chance in a tick
    steering: float = 0.02  # part of the unfinished tasks that a user touches in a tick, at most

    @property
    def submit_for(self) -> int:
        """Ticks over which the tasks come in: most of the time in which things go wrong."""
        return max(self.faults_for * 5 // 6, 1)


CONTROL_OPTIONS = ControlOptions(
    task_timeout=60.0,
    retry=RetryOptions(base=2.0, cap=10.0),
    max_losses=50,
    heartbeat_interval=5.0,
    heartbeat_timeout=15.0,
    device_timeout=45.0,
    health_interval=20.0,
    leader_lease=6.0,
    schedule_interval=5.0,
    filter_watch_interval=60.0,  # there are no crawls, so that it only looks through the tasks
)
