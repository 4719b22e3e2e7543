"""A user's limits over what workers learnt of a host."""

import msgspec

from crawlmesh.model.host import HostLimits, HostState


def limited(state: HostState, limits: HostLimits) -> HostState:
    """The state by which a host is leased. What workers report is kept without the limits."""
    delay = max(state.delay, limits.delay or 0.0)
    slots = state.slots if limits.slots is None else limits.slots
    if delay == state.delay and slots == state.slots:
        return state
    return msgspec.structs.replace(
        state, delay=delay, slots=slots, exclusive=state.exclusive or delay > state.delay
    )
