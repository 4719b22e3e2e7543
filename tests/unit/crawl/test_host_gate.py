import msgspec

from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.model.host import HostLimits, HostState, RobotsFile
from crawlmesh.rules.robots import RobotsRules

FORBIDDING = RobotsFile(100.0, 200, "User-agent: *\nDisallow: /")
ALLOWING = RobotsFile(200.0, 404, None)


def test_it_reads_what_the_store_knows() -> None:
    gate = HostGate(HostState("a", robots={"https": FORBIDDING}), "bot", 50.0)
    assert not gate.robots["https"].allows("https://a/x")


def test_files_that_are_too_old_are_not_read() -> None:
    assert HostGate(HostState("a", robots={"https": FORBIDDING}), "bot", 150.0).robots == {}


def test_starts_and_rests_move_the_next_start() -> None:
    gate = HostGate(HostState("a", delay=2.0), "bot", 0.0)
    gate.started(10.0)
    assert gate.next_start == 12.0
    gate.rest(10.0, 1.0)
    assert gate.next_start == 12.0
    gate.rest(10.0, 30.0)
    assert gate.next_start == 40.0


def test_the_delay_counts_from_when_the_request_went_out() -> None:
    gate = HostGate(HostState("a", delay=2.0), "bot", 0.0)
    gate.started(10.0)
    gate.sent(10.5)
    assert gate.next_start == 12.5
    gate.rest(10.0, 30.0)
    gate.sent(11.0)
    assert gate.next_start == 40.0


def test_it_adopts_what_other_workers_changed() -> None:
    gate = HostGate(HostState("a", robots={"https": FORBIDDING}), "bot", 0.0)
    gate.adopt(HostState("a", delay=3.0, robots={"https": ALLOWING}), 0.0)
    assert gate.state.delay == 3.0
    assert gate.robots["https"].allows("https://a/x")


def test_it_keeps_what_it_knows_better_while_batches_are_at_work() -> None:
    gate = HostGate(HostState("a", delay=5.0), "bot", 0.0)
    gate.batches = 1
    gate.adopt(HostState("a"), 0.0)
    assert gate.state.delay == 5.0


def test_rules_that_did_not_change_are_not_parsed_again() -> None:
    state = HostState("a", robots={"https": FORBIDDING})
    gate = HostGate(state, "bot", 0.0)
    rules = gate.robots["https"]
    gate.adopt(msgspec.structs.replace(state, delay=1.0), 0.0)
    assert gate.robots["https"] is rules


def test_old_files_are_dropped_when_it_adopts() -> None:
    state = HostState("a", robots={"https": FORBIDDING})
    gate = HostGate(state, "bot", 0.0)
    gate.adopt(state, 150.0)
    assert gate.robots == {}


def test_a_file_that_could_not_be_had_is_asked_for_again() -> None:
    state = HostState("a", robots={"https": RobotsFile(100.0, None, None)})
    gate = HostGate(HostState("a"), "bot", 0.0)
    gate.learn_robots("https", RobotsRules(None, None, "bot"), state)
    gate.adopt(state, 0.0)
    assert gate.robots == {}


def test_learning_ends_the_request() -> None:
    gate = HostGate(HostState("a"), "bot", 0.0)
    gate.robots_under_way.add("https")
    gate.learn_robots("https", RobotsRules(404, None, "bot"), HostState("a", slots=9))
    assert gate.robots_under_way == set()
    assert gate.state.slots == 9


def test_the_longer_delay_of_host_and_user_holds() -> None:
    gate = HostGate(HostState("a", delay=2.0, slots=4), "bot", 0.0)
    gate.limits = HostLimits(delay=5.0, slots=1)
    gate.started(10.0)
    assert (gate.next_start, gate.slots, gate.state.delay) == (15.0, 1, 2.0)
    gate.limits = HostLimits(delay=1.0, slots=9)
    gate.started(20.0)
    assert (gate.next_start, gate.slots) == (22.0, 9)
