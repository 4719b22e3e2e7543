from typing import Any

import pytest

from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.lead import Lead
from crawlmesh.control.leader import LeaderElection
from crawlmesh.control.loops.heartbeat_timeouts import HeartbeatTimeouts
from crawlmesh.control.maintain_node import maintain_node
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import EndedBy
from crawlmesh.model.node import HealthStatus, NodeHealth, NodeStatus
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.node_messages import HeartbeatMessage
from crawlmesh.testing.builders import lease_request
from tests.unit.control.kit import ControlKit


async def _kit_with_work(**fields: Any) -> tuple[ControlKit, HeartbeatTimeouts, str]:
    kit = ControlKit(heartbeat_timeout=300.0, device_timeout=600.0)
    await kit.join(**fields)
    [task] = await kit.submit()
    await kit.place()
    return kit, HeartbeatTimeouts(kit.context, kit.lead, kit.view), task.id


async def test_a_silent_node_loses_its_work_at_once_and_later_is_offline() -> None:
    kit, loop, task_id = await _kit_with_work()
    kit.clock.advance(299.0)
    assert await loop.run_once(kit.now) == 0
    kit.clock.advance(2.0)
    assert await loop.run_once(kit.now) == 1
    assert (await kit.node("a")).status is NodeStatus.UNRESPONSIVE
    task = await kit.task(task_id)
    assert (task.status, task.losses) == (TaskStatus.PENDING, 1)
    assert [each.ended_by for each in await kit.executions(task_id)] == [EndedBy.NODE_LOST]
    told = [event.type for event in await kit.told(EventType.NODE_TIMEOUT, EventType.TASK_REASSIGN)]
    assert told == [EventType.NODE_TIMEOUT, EventType.TASK_REASSIGN]
    assert await kit.place() == 0
    kit.clock.advance(300.0)
    await loop.run_once(kit.now)
    assert (await kit.node("a")).status is NodeStatus.OFFLINE


async def test_a_node_is_offline_after_its_silence_in_all() -> None:
    kit = ControlKit()  # 3 heartbeats of 30 s, then 300 s
    await kit.join()
    await kit.leads()
    loop = HeartbeatTimeouts(kit.context, kit.lead, kit.view)
    expected = {89.0: NodeStatus.ONLINE, 91.0: NodeStatus.UNRESPONSIVE, 299.0: NodeStatus.UNRESPONSIVE}
    joined = kit.now
    for silence, status in {**expected, 301.0: NodeStatus.OFFLINE}.items():
        kit.clock.advance(joined + silence - kit.now)
        await loop.run_once(kit.now)
        assert (await kit.node("a")).status is status


async def test_a_node_that_registers_and_then_says_nothing_is_found_silent() -> None:
    kit = ControlKit()
    await kit.join()
    await kit.leads()
    assert (await kit.node("a")).last_heartbeat == kit.now
    kit.clock.advance(91.0)
    assert await HeartbeatTimeouts(kit.context, kit.lead, kit.view).run_once(kit.now) == 1


async def test_a_silence_is_noticed_at_most_a_third_of_its_time_out_late() -> None:
    for timeout, longest, expected in ((90.0, 60.0, 30.0), (300.0, 60.0, 60.0), (6.0, 60.0, 2.0)):
        kit = ControlKit(heartbeat_timeout=timeout, timeout_check_interval=longest)
        assert HeartbeatTimeouts(kit.context, kit.lead, kit.view).interval() == expected


@pytest.mark.parametrize("status", [HealthStatus.UNHEALTHY, HealthStatus.UNREACHABLE])
async def test_a_node_that_is_not_well_but_speaks_keeps_what_it_has(status: HealthStatus) -> None:
    kit, loop, task_id = await _kit_with_work()
    await kit.store.record_health([("a", NodeHealth(status, {}, kit.now))])
    for _ in range(5):
        kit.clock.advance(100.0)
        await heartbeat(kit.context, "a", HeartbeatMessage(session=1))
        assert await loop.run_once(kit.now) == 0
    assert (await kit.task(task_id)).status is TaskStatus.ASSIGNED
    await kit.submit()
    assert await kit.place() == 0


async def test_heartbeats_keep_a_node_and_bring_it_back() -> None:
    kit, loop, _ = await _kit_with_work()
    for _ in range(3):
        kit.clock.advance(200.0)
        await heartbeat(kit.context, "a", HeartbeatMessage(session=1))
        assert await loop.run_once(kit.now) == 0
    kit.clock.advance(301.0)
    await loop.run_once(kit.now)
    assert (await heartbeat(kit.context, "a", HeartbeatMessage(session=1))).status == "online"
    kit.clock.advance(1.0)
    assert await kit.place() == 1


async def test_leases_of_a_silent_node_run_out_by_themselves() -> None:
    """It may only be cut off, and be fetching under them: others must not come to the host on top of that."""
    kit, loop, _ = await _kit_with_work(capabilities={"processes": 3})
    await kit.make_crawl("crawl", "1")
    await kit.crawl_store.lease(lease_request("crawl", node_id="a/3", duration=1e6))
    kit.clock.advance(301.0)
    await loop.run_once(kit.now)
    assert (await kit.crawl_store.progress("crawl")).leased == 1


async def test_stale_reports_of_a_node_that_comes_back_are_refused() -> None:
    kit = ControlKit(heartbeat_timeout=300.0, device_timeout=600.0)
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    kit.clock.advance(301.0)
    await HeartbeatTimeouts(kit.context, kit.lead, kit.view).run_once(kit.now)
    before = await kit.task(task.id)
    assert await kit.report(node, assignment) == (False,)
    assert await kit.task(task.id) == before
    assert (await kit.pull(node, known=(assignment.execution.id,))).gone == (assignment.execution.id,)
    assert (await kit.node("a")).status is NodeStatus.ONLINE


async def test_what_a_dying_master_left_on_a_node_that_is_given_up_is_found() -> None:
    kit, loop, task_id = await _kit_with_work()
    kit.clock.advance(301.0)

    async def die() -> None:
        raise RuntimeError("killed")

    kit.store.before["node_assignments"] = die
    with pytest.raises(RuntimeError):
        await loop.run_once(kit.now)
    assert (await kit.node("a")).status is NodeStatus.UNRESPONSIVE
    assert (await kit.task(task_id)).status is TaskStatus.ASSIGNED
    await loop.run_once(kit.now)
    assert (await kit.task(task_id)).status is TaskStatus.PENDING


async def test_what_runs_on_a_node_that_nobody_knows_is_lost_too() -> None:
    kit, loop, task_id = await _kit_with_work()
    await kit.store.delete_node("a")
    kit.clock.advance(61.0)
    await loop.run_once(kit.now)
    assert (await kit.task(task_id)).status is TaskStatus.PENDING


async def test_a_silent_node_in_maintenance_loses_its_work_and_stays_there() -> None:
    kit, loop, task_id = await _kit_with_work()
    await maintain_node(kit.context, "a")
    kit.clock.advance(299.0)
    await loop.run_once(kit.now)
    assert (await kit.task(task_id)).status is TaskStatus.ASSIGNED
    kit.clock.advance(2.0)
    await loop.run_once(kit.now)
    assert (await kit.task(task_id)).status is TaskStatus.PENDING
    kit.clock.advance(600.0)
    await loop.run_once(kit.now)
    assert (await kit.node("a")).status is NodeStatus.MAINTENANCE
    assert (await heartbeat(kit.context, "a", HeartbeatMessage(session=1))).status == "maintenance"


class Term:
    """A master with a lease of 9 s that looks for nodes that are silent for 30 s."""

    def __init__(self, kit: ControlKit, name: str) -> None:
        self._kit = kit
        self._context = kit.another_master(leader_lease=9.0, heartbeat_timeout=30.0)
        self._election = LeaderElection(self._context, name, self._make_loops)
        self._loop: HeartbeatTimeouts | None = None

    def _make_loops(self, context: Any, lead: Lead) -> list[Any]:
        self._loop = HeartbeatTimeouts(context, lead, FleetView(context))
        return []

    async def tick(self) -> int:
        """Ask for the lead; with it, return how many nodes are given up."""
        leads = await self._election.run_once(self._kit.now)
        return await self._loop.run_once(self._kit.now) if leads and self._loop else 0


async def test_masters_that_were_away_let_the_nodes_speak_first() -> None:
    kit = ControlKit()
    await kit.join()
    master = Term(kit, "one")
    await master.tick()
    kit.clock.advance(1000.0)
    for _ in range(11):
        assert await master.tick() == 0
        kit.clock.advance(3.0)
    assert await master.tick() == 1  # 33 s after it came back: this node is really gone


async def test_a_take_over_does_not_delay_the_end_of_a_dead_node() -> None:
    kit = ControlKit()
    await kit.join()
    one, two = Term(kit, "one"), Term(kit, "two")
    given_up = []
    for second in range(0, 42, 3):
        given_up += [second] * (await one.tick() if second < 24 else 0)
        given_up += [second] * await two.tick()
        kit.clock.advance(3.0)
    assert given_up == [33]  # "two" leads from 30 on, and was there all the time
