import asyncio
from collections.abc import Sequence

import pytest

from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.control.leader import LeaderElection
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.make_loops import loops_with
from crawlmesh.errors import StoreError
from crawlmesh.model.event import EventType
from crawlmesh.model.task import TaskStatus
from tests.unit.control.kit import ControlKit


class Idle(LeaderLoop):
    """Notes when it starts and stops."""

    def __init__(self, context: ControlContext, lead: Lead, log: list[str], name: str) -> None:
        super().__init__(context, lead)
        self._log = log
        self._name = name

    def start(self) -> None:
        self._log.append(f"{self._name} starts")

    async def stop(self) -> None:
        self._log.append(f"{self._name} stops")

    def interval(self) -> float:
        return 1.0

    async def run_once(self, now: float) -> int:
        return 0


def _election(kit: ControlKit, name: str, log: list[str]) -> LeaderElection:
    def make(context: ControlContext, lead: Lead) -> Sequence[LeaderLoop]:
        return [Idle(context, lead, log, name)]

    return LeaderElection(kit.another_master(leader_lease=9.0), name, make)


async def test_one_leads_and_another_follows_within_two_lease_times() -> None:
    kit = ControlKit()
    log: list[str] = []
    one, two = _election(kit, "one", log), _election(kit, "two", log)
    assert await one.run_once(kit.now)
    assert not await two.run_once(kit.now)
    for _ in range(4):
        kit.clock.advance(3.0)
        assert await one.run_once(kit.now)
        assert not await two.run_once(kit.now)
    kit.clock.advance(9.0)  # one is dead
    assert await two.run_once(kit.now)
    assert (one.leads, two.leads) == (False, True)
    assert not await one.run_once(kit.now)
    assert log == ["one starts", "two starts", "one stops"]
    assert [event.data["leader"] for event in await kit.told(EventType.LEADER_CHANGED)] == ["one", "two"]


async def test_a_leader_that_was_away_for_longer_than_its_lease_begins_a_new_term() -> None:
    kit = ControlKit()
    log: list[str] = []
    one = _election(kit, "one", log)
    await one.run_once(kit.now)
    kit.clock.advance(10.0)
    assert not one.leads
    assert await one.run_once(kit.now)
    assert log == ["one starts", "one stops", "one starts"]
    fences = [event.data["fence"] for event in await kit.told(EventType.LEADER_CHANGED)]
    assert fences == sorted(set(fences))


async def test_a_leader_that_stops_lets_another_lead_at_once() -> None:
    kit = ControlKit()
    log: list[str] = []
    one, two = _election(kit, "one", log), _election(kit, "two", log)
    await one.run_once(kit.now)
    await one.stop()
    await one.stop()
    assert await two.run_once(kit.now)
    assert log == ["one starts", "one stops", "two starts"]


async def test_a_leader_that_cannot_tell_that_it_leads_leads_all_the_same() -> None:
    kit = ControlKit()
    log: list[str] = []
    one = _election(kit, "one", log)

    async def fail() -> None:
        raise StoreError("away")

    kit.store.before["append_events"] = fail
    assert await one.run_once(kit.now)
    assert log == ["one starts"]


async def test_a_master_whose_loops_do_not_start_does_not_lead() -> None:
    kit = ControlKit()
    log: list[str] = []
    faults = [ValueError("a fault")]

    def make(context: ControlContext, lead: Lead) -> Sequence[LeaderLoop]:
        if faults:
            raise faults.pop()
        return [Idle(context, lead, log, "one")]

    one = LeaderElection(kit.another_master(leader_lease=9.0), "one", make)
    with pytest.raises(ValueError, match="a fault"):
        await one.run_once(kit.now)
    assert not one.leads
    two = _election(kit, "two", log)
    assert await two.run_once(kit.now)
    await two.stop()
    assert await one.run_once(kit.now)
    assert log == ["two starts", "two stops", "one starts"]


class Dying(LeaderLoop):
    """Something that it waits for is cancelled under its hands, once."""

    goes = 0

    def __init__(self, context: ControlContext, lead: Lead) -> None:
        super().__init__(context, lead)
        self.went_on = asyncio.Event()

    def interval(self) -> float:
        return 60.0

    async def run_once(self, now: float) -> int:
        self.goes += 1
        if self.goes == 1:
            raise asyncio.CancelledError
        self.went_on.set()
        return 0


async def test_a_loop_that_died_is_started_again() -> None:
    kit = ControlKit()
    loops: list[Dying] = []

    def make(context: ControlContext, lead: Lead) -> Sequence[LeaderLoop]:
        loops.append(Dying(context, lead))
        return loops

    one = LeaderElection(kit.another_master(leader_lease=9.0), "one", make)
    await one.run_once(kit.now)
    while not loops[0].died:
        await asyncio.sleep(0)
    assert await one.run_once(kit.now)
    await loops[0].went_on.wait()
    await one.stop()
    assert len(loops) == 1


async def test_an_election_goes_on_when_what_it_waits_for_is_cancelled() -> None:
    kit = ControlKit()
    log: list[str] = []

    async def fail() -> None:
        raise asyncio.CancelledError

    kit.store.before["lead"] = fail
    one = LeaderElection(
        kit.another_master(leader_lease=0.003),
        "one",
        lambda context, lead: [Idle(context, lead, log, "one")],
    )
    one.start()
    while not one.leads:
        await asyncio.sleep(0)
    await one.stop()
    assert log == ["one starts", "one stops"]


class NoProbe:
    async def reachable(self, ip_address: str, port: int, timeout: float) -> bool:
        return True


async def test_a_started_master_places_what_is_submitted() -> None:
    kit = ControlKit()
    node = await kit.join()
    election = LeaderElection(kit.context, "one", loops_with(NoProbe()))
    election.start()
    election.start()
    poll = asyncio.create_task(kit.pull(node, wait=25.0))
    [task] = await kit.submit()
    [assignment] = (await poll).assignments
    assert assignment.task.id == task.id
    await kit.report(node, assignment)
    assert (await kit.task(task.id)).status is TaskStatus.COMPLETED
    await election.stop()
    assert not election.leads
    assert len(asyncio.all_tasks()) == 1
