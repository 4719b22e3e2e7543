import pytest

from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.rules.host_limits import limited


def test_without_limits_a_host_is_as_it_is() -> None:
    state = HostState("a", delay=1.0, slots=3, exclusive=False)
    assert limited(state, HostLimits()) is state
    assert limited(state, HostLimits(blocked=True)) is state


@pytest.mark.parametrize(
    ("own", "laid_down", "expected"), [(0.0, 2.0, 2.0), (3.0, 2.0, 3.0), (1.0, 0.0, 1.0)]
)
def test_the_longer_delay_holds(own: float, laid_down: float, expected: float) -> None:
    assert limited(HostState("a", delay=own), HostLimits(delay=laid_down)).delay == expected


def test_a_host_that_is_slowed_down_is_exclusive() -> None:
    shared = HostState("a", exclusive=False)
    assert limited(shared, HostLimits(delay=1.0)).exclusive
    assert not limited(shared, HostLimits(slots=1)).exclusive


@pytest.mark.parametrize("slots", [1, 9])
def test_slots_stand_for_those_of_the_host(slots: int) -> None:
    assert limited(HostState("a", slots=4), HostLimits(slots=slots)).slots == slots
