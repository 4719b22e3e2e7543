import asyncio
from pathlib import Path
from typing import Any

import msgspec

from crawlmesh.adapters.memory.task_channel import MemoryBroker, MemoryTaskChannel
from crawlmesh.model.execution import Assignment, Execution
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.ports.task_channel import ChannelMessage
from tests.unit.control.channel_kit import ChannelKit
from tests.unit.worker.agent_kit import AgentKit, Patient

_SOON = 10.0  # seconds; a test that needs them fails


class Setting:
    """A master and a node, both on one broker."""

    def __init__(self, folder: Path, *executors: Any) -> None:
        self.broker = MemoryBroker()
        self.channel = ChannelKit(MemoryTaskChannel(self.broker), heartbeat_interval=1000.0)
        own = MemoryTaskChannel(self.broker)
        self.agents = AgentKit(folder, *executors, kit=self.channel, channel=own)

    def waits(self, node_id: str = "node-1") -> bool:
        """Whether the broker has something that no consumer holds."""
        waiting = self.broker.take(f"assignments.{node_id}")
        if waiting is not None:
            self.broker.put_back(f"assignments.{node_id}", waiting)
        return waiting is not None

    async def publish(self, assignment: Assignment, session: int = 1) -> None:
        message = ChannelMessage(
            assignment.execution.id,
            msgspec.json.encode(assignment),
            headers={"x-crawlmesh-session": str(session)},
        )
        await self.channel.channel.publish("assignments.node-1", [message])


def _ended(task: Task) -> bool:
    return task.ended


async def test_work_comes_over_the_channel_and_is_accepted_when_it_was_reported(tmp_path: Path) -> None:
    patient = Patient()
    setting = Setting(tmp_path, patient)
    async with setting.channel.publishing(), setting.agents.running(device_id="node-1") as agent:
        (task,) = await setting.agents.submit(task_type="patient")
        async with asyncio.timeout(_SOON):
            await patient.begun.wait()
        assert setting.agents.master.given == 0
        patient.go_on.set()
        done = await setting.agents.until(task.id, _ended)
        assert done.status is TaskStatus.COMPLETED
        assert agent.node_id == "node-1"
    assert not setting.waits()


async def test_what_was_not_reported_stays_with_the_broker(tmp_path: Path) -> None:
    patient = Patient()
    setting = Setting(tmp_path, patient)
    agent = setting.agents.agent(device_id="node-1")
    async with setting.channel.publishing():
        run = asyncio.ensure_future(agent.run())
        await agent.registered.wait()
        await setting.agents.submit(task_type="patient")
        async with asyncio.timeout(_SOON):
            await patient.begun.wait()
        agent.abort()
        await run
        assert setting.waits()


async def test_work_of_an_earlier_session_and_what_is_late_is_passed_over(tmp_path: Path) -> None:
    patient = Patient()
    setting = Setting(tmp_path, patient)
    now = setting.channel.now
    async with setting.channel.publishing(), setting.agents.running(device_id="node-1"):
        task = Task(id="task-1", task_type="patient", parameters={})
        old = Execution(id="exec-1", task_id="task-1", node_id="node-1", fence=2, start_time=now)
        late = Execution(id="exec-2", task_id="task-1", node_id="node-1", fence=2, start_time=now - 11)
        await setting.publish(Assignment(old, task), session=0)
        await setting.publish(Assignment(late, task), session=1)
        (other,) = await setting.agents.submit(task_type="noop")
        await setting.agents.until(other.id, _ended)
        assert not patient.begun.is_set()
    assert not setting.waits()


async def test_what_is_no_assignment_is_a_dead_letter(tmp_path: Path) -> None:
    setting = Setting(tmp_path)
    async with setting.channel.publishing(), setting.agents.running(device_id="node-1"):
        await setting.channel.channel.publish("assignments.node-1", [ChannelMessage("x", b"{}")])
        deliveries = setting.channel.channel.consume("assignments.node-1.dead", group="test")
        async with asyncio.timeout(_SOON):
            dead = await anext(deliveries)
        assert "no assignment" in dead.message.headers["x-crawlmesh-reason"]


async def test_work_that_came_both_ways_is_done_once(tmp_path: Path) -> None:
    patient = Patient()
    setting = Setting(tmp_path, patient)
    async with setting.channel.publishing(), setting.agents.running(device_id="node-1"):
        (task,) = await setting.agents.submit(task_type="patient")
        async with asyncio.timeout(_SOON):
            await patient.begun.wait()
        [execution] = await setting.agents.executions(task.id)
        [assignment] = await setting.channel.store.assignments([execution.id])
        await setting.publish(assignment)
        patient.go_on.set()
        await setting.agents.until(task.id, _ended)
        await setting.publish(assignment)
        (other,) = await setting.agents.submit(task_type="noop")
        await setting.agents.until(other.id, _ended)
        assert len(patient.contexts) == 1
    assert not setting.waits()
