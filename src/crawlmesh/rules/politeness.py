"""Politeness: how a host's answers change the pace at which the cluster asks it."""

import msgspec

from crawlmesh.model.host import HostState, RobotsFile
from crawlmesh.model.page import FailureKind

_PRESSING_STATUSES = frozenset({429, 503})
_TIMEOUTS = frozenset(
    {FailureKind.CONNECT_TIMEOUT, FailureKind.FIRST_BYTE_TIMEOUT, FailureKind.BODY_TIMEOUT},
)
_CONNECTION_FAILURES = _TIMEOUTS | {
    FailureKind.DNS,
    FailureKind.CONNECT,
    FailureKind.TLS,
    FailureKind.PROTOCOL,
    FailureKind.PROXY,
}
_MAX_DOUBLINGS = 60


class PolitenessLimits(msgspec.Struct, frozen=True):
    """The borders within which the pace adapts."""

    max_crawl_delay: float = 60.0  # seconds; robots.txt may ask for more, in vain
    first_pressure: float = 0.5  # seconds
    max_pressure: float = 60.0  # seconds
    least_pressure: float = 0.05  # seconds; below it there is none
    easing: float = 0.5  # what a good answer leaves of the pressure
    failures_before_rest: int = 3  # in a row; fewer say little about a host
    max_rest: float = 60.0  # seconds that a dead host rests between two tries
    failures_of_a_dead_host: int = 10  # in a row; then its links are given up without asking, for `max_rest`


DEFAULT_POLITENESS_LIMITS = PolitenessLimits()


def effective_delay(
    state: HostState,
    configured_delay: float,
    crawl_delay: float,
    limits: PolitenessLimits = DEFAULT_POLITENESS_LIMITS,
) -> float:
    """Seconds between two request starts: the longest that the user, robots.txt or the pressure wants."""
    return max(configured_delay, min(crawl_delay, limits.max_crawl_delay), state.pressure)


def after_response(
    state: HostState,
    status: int,
    failure: FailureKind | None,
    retry_after: float | None,
    configured_delay: float,
    limits: PolitenessLimits = DEFAULT_POLITENESS_LIMITS,
) -> tuple[HostState, float]:
    """The host's state after an answer or a failure, and for how many seconds nobody may ask it.

    429, 503 and time-outs double the pressure; any other answer below 500 eases it. Connection failures
    in a row let the host rest for 1, 2, 4 … seconds, counted from the first, once there are enough of them.
    """
    if failure in (FailureKind.BAD_URL, FailureKind.PRIVATE_ADDRESS):
        return state, 0.0  # nobody was asked
    failures = state.failures + 1 if failure in _CONNECTION_FAILURES else 0
    pressed = status in _PRESSING_STATUSES or failure in _TIMEOUTS
    pressure = _pressure_after(state.pressure, status, failures, pressed, limits)
    rest = _rest_after_failures(failures, limits)
    if pressed:
        rest = max(rest, pressure)
    if retry_after is not None and (pressed or status >= 500):
        rest = max(rest, retry_after)
    if pressure != state.pressure or failures != state.failures:
        state = msgspec.structs.replace(state, pressure=pressure, failures=failures)
    return _paced(state, configured_delay, limits), rest


def with_robots(
    state: HostState,
    scheme: str,
    robots: RobotsFile,
    crawl_delay: float | None,
    configured_delay: float,
    slots: int,
    limits: PolitenessLimits = DEFAULT_POLITENESS_LIMITS,
) -> HostState:
    """The host's state once its robots.txt for a scheme is known, with the crawl delay that it asks for.

    Where both schemes have a file, the longer delay counts: there is one server behind them.
    """
    asked = min(crawl_delay or 0.0, limits.max_crawl_delay)
    if state.robots.keys() - {scheme}:
        asked = max(asked, state.crawl_delay)
    known = {**state.robots, scheme: robots}
    informed = msgspec.structs.replace(state, robots=known, crawl_delay=asked, slots=slots)
    return _paced(informed, configured_delay, limits)


def paced(state: HostState, configured_delay: float, slots: int, limits: PolitenessLimits) -> HostState:
    """The state of a known host under the pace that the user wants this time."""
    if state.slots != slots:
        state = msgspec.structs.replace(state, slots=slots)
    return _paced(state, configured_delay, limits)


def _paced(state: HostState, configured_delay: float, limits: PolitenessLimits) -> HostState:
    """The state with `delay` and `exclusive` as the rest of it demands."""
    delay = effective_delay(state, configured_delay, state.crawl_delay, limits)
    exclusive = delay > 0 or not state.robots
    if delay == state.delay and exclusive == state.exclusive:
        return state
    return msgspec.structs.replace(state, delay=delay, exclusive=exclusive)


def _pressure_after(
    pressure: float, status: int, failures: int, pressed: bool, limits: PolitenessLimits
) -> float:
    if pressed:
        return min(max(limits.first_pressure, pressure * 2), limits.max_pressure)
    if failures or status >= 500:
        return pressure
    eased = pressure * limits.easing
    return eased if eased >= limits.least_pressure else 0.0


def _rest_after_failures(failures: int, limits: PolitenessLimits) -> float:
    if failures == 0 or failures < limits.failures_before_rest:
        return 0.0
    return min(2.0 ** min(failures - 1, _MAX_DOUBLINGS), limits.max_rest)
