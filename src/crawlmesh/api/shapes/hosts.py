"""Hosts over all crawls, in answers."""

import msgspec

from crawlmesh.api.shapes.crawls import HostStateShape, host_state_shape
from crawlmesh.model.host import HostStatus
from crawlmesh.rules.host_limits import limited


class HostLimitsShape(msgspec.Struct, frozen=True, kw_only=True):
    """What a user laid down for a host; null: nothing. `delay` is in seconds."""

    delay: float | None
    slots: int | None
    blocked: bool


class HostStatusShape(msgspec.Struct, frozen=True, kw_only=True):
    """A host over all crawls. `delay` (seconds) and `slots` are what holds now, with the limits.

    `state` is what workers learnt of the host, without the limits. `running`: requests that nodes may have
    under way. `ready_in`: seconds until the host may be asked again; 0: now. `mean_elapsed` is in seconds
    per request.
    """

    host: str
    blocked: bool
    delay: float
    slots: int
    limits: HostLimitsShape
    state: HostStateShape
    queued: int
    running: int
    done: int
    dead: int
    mean_elapsed: float
    ready_in: float


def host_status_shape(status: HostStatus) -> HostStatusShape:
    """A host, without the text of its robots.txt."""
    limits = status.limits
    leased_as = limited(status.state, limits)
    return HostStatusShape(
        host=status.host,
        blocked=limits.blocked,
        delay=leased_as.delay,
        slots=leased_as.slots,
        limits=HostLimitsShape(delay=limits.delay, slots=limits.slots, blocked=limits.blocked),
        state=host_state_shape(status.state),
        queued=status.queued,
        running=status.running,
        done=status.done,
        dead=status.dead,
        mean_elapsed=status.mean_elapsed,
        ready_in=round(status.ready_in, 3),
    )
