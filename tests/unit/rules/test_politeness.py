import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.model.host import HostState, RobotsFile
from crawlmesh.model.page import FailureKind
from crawlmesh.rules.politeness import PolitenessLimits, after_response, effective_delay, with_robots

ROBOTS = RobotsFile(fetched_at=0.0, status=200, text=None)
FREE = HostState(host="h", exclusive=False, robots={"https": ROBOTS})
LIMITS = PolitenessLimits(first_pressure=1.0, easing=0.7)

statuses = st.sampled_from([200, 301, 404, 429, 500, 503])
answers = st.one_of(
    st.tuples(statuses, st.none(), st.none() | st.floats(0, 3600)),
    st.tuples(st.just(0), st.sampled_from(list(FailureKind)), st.none()),
)


def answer(state: HostState, status: int, retry_after: float | None = None) -> tuple[HostState, float]:
    return after_response(state, status, None, retry_after, 0.0, LIMITS)


def fail(state: HostState, failure: FailureKind) -> tuple[HostState, float]:
    return after_response(state, 0, failure, None, 0.0, LIMITS)


@pytest.mark.parametrize("status", [429, 503])
def test_pressure_doubles_from_one_second_to_its_cap(status: int) -> None:
    state, rests = FREE, []
    for _ in range(8):
        state, rest = answer(state, status)
        rests.append(rest)

    assert rests == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert (state.pressure, state.delay, state.exclusive) == (60.0, 60.0, True)


def test_a_time_out_presses_too() -> None:
    state, rest = fail(FREE, FailureKind.FIRST_BYTE_TIMEOUT)

    assert (state.pressure, state.failures, rest) == (1.0, 1, 1.0)


def test_success_eases_the_pressure_until_there_is_none() -> None:
    state, _ = answer(FREE, 429)
    state, rest = answer(state, 200)
    assert (state.pressure, state.delay, rest) == (0.7, 0.7, 0.0)

    for _ in range(8):
        state, _ = answer(state, 200)

    assert state == FREE


def test_server_errors_leave_the_pressure_as_it_is() -> None:
    pressed, _ = answer(FREE, 429)

    assert answer(pressed, 500) == (pressed, 0.0)


def test_retry_after_wins_where_it_is_longer() -> None:
    assert answer(FREE, 429, 30.0)[1] == 30.0
    assert answer(FREE, 429, 0.5)[1] == 1.0
    assert answer(FREE, 500, 7.0)[1] == 7.0
    assert answer(FREE, 200, 7.0)[1] == 0.0


def test_a_dead_host_is_asked_rarely() -> None:
    state, rests = FREE, []
    for _ in range(9):
        state, rest = fail(state, FailureKind.CONNECT)
        rests.append(rest)

    assert rests == [0.0, 0.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
    assert state.failures == 9
    assert answer(state, 404)[0].failures == 0


@pytest.mark.parametrize("failure", [FailureKind.BAD_URL, FailureKind.PRIVATE_ADDRESS])
def test_a_request_that_was_not_sent_says_nothing_about_the_host(failure: FailureKind) -> None:
    state, _ = answer(FREE, 429)

    assert fail(state, failure) == (state, 0.0)


def test_the_longest_delay_counts() -> None:
    limits = PolitenessLimits(max_crawl_delay=10.0)
    pressed = HostState(host="h", pressure=7.0)

    assert effective_delay(HostState(host="h"), 2.0, 0.0, limits) == 2.0
    assert effective_delay(HostState(host="h"), 2.0, 5.0, limits) == 5.0
    assert effective_delay(HostState(host="h"), 2.0, 50.0, limits) == 10.0
    assert effective_delay(pressed, 2.0, 5.0, limits) == 7.0


def test_a_host_is_shared_once_its_robots_file_is_known_and_asks_for_no_delay() -> None:
    unknown = HostState(host="h")

    free = with_robots(unknown, "https", ROBOTS, None, 0.0, 8)
    slow = with_robots(unknown, "https", ROBOTS, 2.5, 0.0, 8)
    configured = with_robots(unknown, "https", ROBOTS, 0.0, 1.0, 8)

    assert (free.delay, free.exclusive, free.slots, free.robots) == (0.0, False, 8, {"https": ROBOTS})
    assert (slow.delay, slow.exclusive, slow.crawl_delay) == (2.5, True, 2.5)
    assert (configured.delay, configured.exclusive) == (1.0, True)


def test_a_crawl_delay_outlasts_pressure() -> None:
    slow = with_robots(HostState(host="h"), "https", ROBOTS, 2.5, 0.0, 4)

    pressed = answer(answer(answer(slow, 429)[0], 429)[0], 429)[0]
    assert pressed.delay == 4.0

    for _ in range(20):
        pressed, _ = answer(pressed, 200)
    assert pressed == slow


def test_the_crawl_delay_is_capped_and_the_longer_of_both_schemes_counts() -> None:
    state = with_robots(HostState(host="h"), "http", ROBOTS, 500.0, 0.0, 4, LIMITS)
    assert state.delay == LIMITS.max_crawl_delay

    both = with_robots(state, "https", ROBOTS, 1.0, 0.0, 4, LIMITS)
    assert both.delay == LIMITS.max_crawl_delay
    assert set(both.robots) == {"http", "https"}

    assert with_robots(state, "http", ROBOTS, None, 0.0, 4, LIMITS).delay == 0.0


def test_an_unknown_host_stays_exclusive() -> None:
    assert answer(HostState(host="h"), 200)[0].exclusive


@given(st.lists(answers, max_size=30), st.floats(0, 5), st.booleans())
def test_delay_and_exclusive_always_follow_from_the_rest(
    history: list[tuple[int, FailureKind | None, float | None]], delay: float, known: bool
) -> None:
    state = HostState(host="h", delay=delay)
    if known:
        state = with_robots(state, "http", ROBOTS, None, delay, 4)

    for status, failure, retry_after in history:
        state, rest = after_response(state, status, failure, retry_after, delay)

        assert state.delay == effective_delay(state, delay, state.crawl_delay)
        assert state.exclusive == (state.delay > 0 or not state.robots)
        assert 0 <= state.pressure <= LIMITS.max_pressure
        assert 0 <= rest <= 3600
