import asyncio

import pytest

from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.keys import create_key
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.finish_crawls import FinishCrawls
from crawlmesh.control.loops.health_checks import HealthChecks
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.loops.lease_expiry import LeaseExpiry
from crawlmesh.control.loops.retention import Retention
from crawlmesh.control.loops.task_timeouts import TaskTimeouts
from crawlmesh.control.loops.wake_waiting import WakeWaiting
from crawlmesh.control.releasing import lose_work
from crawlmesh.control.sign_in import SESSION_LIFE, sign_in
from crawlmesh.control.steer_tasks import cancel_task
from crawlmesh.errors import NotLeaderError
from crawlmesh.model.access import Role
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import EndedBy
from crawlmesh.model.node import HealthStatus
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.node_messages import HeartbeatMessage
from crawlmesh.testing.builders import lease_request
from tests.unit.control.kit import ControlKit


class Probe:
    """Reaches what it is told to reach, and notes how many questions run at once."""

    def __init__(self, *reached: str) -> None:
        self.reached = set(reached)
        self.at_once = 0
        self.most_at_once = 0

    async def reachable(self, ip_address: str, port: int, timeout: float) -> bool:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        return ip_address in self.reached


async def test_an_overdue_execution_is_ended_and_its_task_waits_for_another_try() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(timeout=10.0, max_retries=1)
    loop = TaskTimeouts(kit.context, kit.lead)
    for expected in (TaskStatus.WAITING, TaskStatus.TIMEOUT):
        await kit.place()
        [assignment] = (await kit.pull(node)).assignments
        loop.lead = kit.lead
        assert await loop.run_once(kit.now) == 0
        kit.clock.advance(10.0)
        assert await loop.run_once(kit.now) == 1
        assert (await kit.task(task.id)).status is expected
        assert (await kit.pull(node, known=(assignment.execution.id,))).gone == (assignment.execution.id,)
        kit.clock.advance(100.0)
        await WakeWaiting(kit.context, kit.lead).run_once(kit.now)
    assert [each.ended_by for each in await kit.executions(task.id)] == [EndedBy.TIMEOUT] * 2
    assert len(await kit.told(EventType.TASK_TIMEOUT)) == 2


async def test_overdue_executions_are_looked_for_every_second_however_seldom_nodes_are() -> None:
    kit = ControlKit(timeout_check_interval=60.0)
    assert TaskTimeouts(kit.context, kit.lead).interval() == 1.0
    await TaskTimeouts(kit.context, kit.lead).run_once(kit.now)
    assert kit.store.calls == ["overdue_executions"]


async def test_a_crawl_has_no_deadline_unless_it_names_one() -> None:
    kit = ControlKit(task_timeout=10.0)
    await kit.join()
    parameters = {"url": "https://a.example/", "depth": 0}
    [endless] = await kit.submit(task_type="web_crawl", parameters=parameters)
    [limited] = await kit.submit(task_type="web_crawl", parameters=parameters, timeout=5.0)
    await kit.place()
    assert [each.deadline for each in await kit.executions(endless.id)] == [None]
    assert [each.deadline for each in await kit.executions(limited.id)] == [kit.now + 5.0]


async def test_waiting_tasks_are_pending_when_their_time_has_come() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    await kit.report(node, *(await kit.pull(node)).assignments, outcome="failed")
    waiting = await kit.task(task.id)
    loop = WakeWaiting(kit.context, kit.lead)
    kit.clock.advance(waiting.not_before - kit.now + 0.001)
    assert await loop.run_once(kit.now) == 1
    assert (await kit.task(task.id)).status is TaskStatus.PENDING
    assert await loop.run_once(kit.now) == 0


async def test_leases_that_ran_out_end() -> None:
    kit = ControlKit()
    await kit.make_crawl("crawl", "1")
    await kit.crawl_store.lease(lease_request("crawl", duration=5.0))
    kit.clock.advance(6.0)
    await LeaseExpiry(kit.context, kit.lead).run_once(kit.now)
    assert (await kit.crawl_store.progress("crawl")).leased == 0


async def test_a_crawl_that_is_through_is_completed_though_no_node_says_so() -> None:
    kit = ControlKit()
    await kit.join()
    parameters = {"url": "https://a.example/1", "depth": 0}
    [task] = await kit.submit(task_type="web_crawl", parameters=parameters)
    [untouched] = await kit.submit(task_type="web_crawl", parameters=parameters, node_type="none")
    await kit.place()
    await kit.make_crawl(task.id, "1")
    await kit.crawl_all(task.id)
    await lose_work(kit.context, await kit.node("a"))
    loop = FinishCrawls(kit.context, kit.lead)
    assert await loop.run_once(kit.now) == 1
    completed = await kit.task(task.id)
    assert completed.status is TaskStatus.COMPLETED
    assert completed.result is not None
    assert completed.result.metrics["records"] == 1
    assert (await kit.task(untouched.id)).status is TaskStatus.PENDING


async def test_nodes_that_work_on_a_crawl_that_is_through_are_told_once() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await kit.make_crawl(task.id, "1")
    await kit.crawl_all(task.id)
    loop = FinishCrawls(kit.context, kit.lead)
    assert await loop.run_once(kit.now) == 1
    assert await loop.run_once(kit.now) == 0
    [order] = (await kit.pull(node, known=(assignment.execution.id,))).stop
    assert order.reason is EndedBy.FINISHED
    await kit.report(node, assignment, outcome="stopped")
    assert (await kit.task(task.id)).status is TaskStatus.COMPLETED


async def test_a_task_that_ended_is_left_alone_though_its_crawl_is_through_and_a_node_still_works() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    await kit.pull(node)
    await kit.make_crawl(task.id, "1")
    await kit.crawl_all(task.id)
    before = await cancel_task(kit.context, task.id)
    assert await FinishCrawls(kit.context, kit.lead).run_once(kit.now) == 0
    assert await kit.task(task.id) == before


async def test_crawls_are_looked_at_with_pauses_whatever_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    kit = ControlKit(finish_crawls_interval=5.0)
    monkeypatch.setattr("crawlmesh.control.loops.leader_loop.asyncio.sleep", sleep)
    for done in (0, 1):
        await FinishCrawls(kit.context, kit.lead).pause(done)
    await WakeWaiting(kit.context, kit.lead).pause(1)
    assert slept == [5.0, 5.0, 0.0]


async def test_health_checks_reach_the_nodes_and_look_at_their_readings() -> None:
    kit = ControlKit(health_workers=2)
    for name in ("well", "busy", "away", "slow", "silent"):
        await kit.join(name, ip_address=name, port=0 if name == "silent" else 80)
    for name, cpu, latency in (("well", 0.1, 0.0), ("busy", 0.95, 0.0), ("slow", 0.1, 9.0)):
        await heartbeat(
            kit.context, name, HeartbeatMessage(resources={"cpu_usage": cpu}, task_latency=latency)
        )
    probe = Probe("well", "busy", "slow")
    await kit.leads()
    await HealthChecks(kit.context, kit.lead, probe).run_once(kit.now)
    found = {node.id: node.health.status for node in await kit.store.nodes_changed_since(0.0)}
    assert found["well"] is HealthStatus.HEALTHY
    assert found["busy"] is HealthStatus.UNHEALTHY
    assert found["away"] is HealthStatus.UNREACHABLE
    assert found["slow"] is HealthStatus.DEGRADED
    assert probe.most_at_once == 2
    told = await kit.told(EventType.NODE_UNAVAILABLE)
    assert sorted(event.node_id or "" for event in told) == ["away", "busy"]
    changed = len(await kit.told(EventType.NODE_HEALTH_CHANGED))
    await HealthChecks(kit.context, kit.lead, probe).run_once(kit.now)
    assert len(await kit.told(EventType.NODE_HEALTH_CHANGED)) == changed


async def test_what_is_too_old_is_deleted_together_with_its_crawl() -> None:
    kit = ControlKit(keep_tasks=100.0, keep_events=50.0)
    node = await kit.join()
    [task] = await kit.submit(task_type="web_crawl", parameters={"url": "https://a.example/1", "depth": 0})
    await kit.place()
    await kit.make_crawl(task.id, "1")
    await kit.crawl_all(task.id)
    await kit.report(node, *(await kit.pull(node)).assignments)
    loop = Retention(kit.context, kit.lead)
    kit.clock.advance(99.0)
    await loop.run_once(kit.now)
    assert await kit.store.tasks_by_id([task.id])
    assert await kit.told() == []
    assert len(await kit.crawl_store.crawls()) == 1
    kit.clock.advance(2.0)
    await loop.run_once(kit.now)
    assert not await kit.store.tasks_by_id([task.id])
    assert await kit.crawl_store.crawls() == []


async def test_sessions_that_are_over_are_forgotten() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    await sign_in(kit.context, key.secret)
    loop = Retention(kit.context, kit.lead)
    kit.clock.advance(SESSION_LIFE - 1.0)
    await loop.run_once(kit.now)
    assert len(await kit.store.keys()) == 2
    kit.clock.advance(1.0)
    await loop.run_once(kit.now)
    assert [each.id for each in await kit.store.keys()] == [key.key.id]


class Counting(LeaderLoop):
    """Fails at first, then loses the lead."""

    goes = 0

    def interval(self) -> float:
        return 0.0

    async def pause(self, done: int) -> None:
        await asyncio.sleep(0)

    async def run_once(self, now: float) -> int:
        self.goes += 1
        if self.goes == 3:
            raise NotLeaderError("another leads")
        return 0


async def test_a_loop_ends_when_the_lead_is_lost_and_stops_twice() -> None:
    kit = ControlKit()
    lead = Lead(kit.clock, 1, float("inf"))
    loop = Counting(kit.context, lead)
    loop.start()
    loop.start()
    while lead.holds:
        await asyncio.sleep(0)
    await loop.stop()
    await loop.stop()
    assert loop.goes == 3
    with pytest.raises(NotLeaderError):
        lead.fence()


async def test_a_loop_goes_on_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("crawlmesh.control.loops.leader_loop._PAUSE_AFTER_FAILURE", 0.0)

    class Failing(Counting):
        async def run_once(self, now: float) -> int:
            if await super().run_once(now) == 0 and self.goes == 1:
                raise ValueError("a fault")
            return 0

    kit = ControlKit()
    lead = Lead(kit.clock, 1, float("inf"))
    loop = Failing(kit.context, lead)
    loop.start()
    while lead.holds:
        await asyncio.sleep(0)
    await loop.stop()
    assert loop.goes == 3
