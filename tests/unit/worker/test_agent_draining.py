import asyncio
from pathlib import Path

from crawlmesh.model.execution import Assignment, EndedBy
from crawlmesh.model.node import NodeStatus
from crawlmesh.model.task import TaskResult, TaskStatus
from crawlmesh.worker.execution_context import ExecutionContext
from tests.unit.worker.agent_kit import AgentKit, Patient


class Steady(Patient):
    """Comes to its end when it is let, and does not look whether it shall stop."""

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        self.contexts.append(context)
        self.begun.set()
        await self.go_on.wait()
        return TaskResult(success=True, data={"whole": True})


class Resumable(Patient):
    task_type = "resumable"
    resumable = True


async def _until_status(kit: AgentKit, node_id: str, status: NodeStatus) -> None:
    while (await kit.kit.node(node_id)).status is not status:
        await kit.kit.store.wait("events", kit.kit.store.mark("events"), 0.05)


async def test_a_stopped_node_lets_its_work_come_to_its_end(tmp_path: Path) -> None:
    steady = Steady()
    kit = AgentKit(tmp_path, steady)
    async with kit.running(drain_timeout=60.0) as agent:
        (task,) = await kit.submit(task_type="patient")
        await steady.begun.wait()
        agent.stop()
        await _until_status(kit, agent.node_id, NodeStatus.DRAINING)
        (late,) = await kit.submit(task_type="patient")
        assert not steady.contexts[0].stop.is_set()
        steady.go_on.set()
    done = await kit.kit.task(task.id)
    assert done.status is TaskStatus.COMPLETED
    assert done.result is not None
    assert done.result.data == {"whole": True}
    assert (await kit.kit.task(late.id)).status is TaskStatus.PENDING
    assert (await kit.kit.node(agent.node_id)).status is NodeStatus.OFFLINE


async def test_what_others_can_go_on_with_is_given_back_at_once(tmp_path: Path) -> None:
    steady, crawl = Steady(), Resumable()
    kit = AgentKit(tmp_path, steady, crawl)
    async with kit.running(drain_timeout=60.0) as agent:
        (task,) = await kit.submit(task_type="resumable")
        await kit.submit(task_type="patient")
        await asyncio.gather(steady.begun.wait(), crawl.begun.wait())
        agent.stop()
        while (await kit.executions(task.id))[0].ended_by is None:
            await kit.kit.store.wait("events", kit.kit.store.mark("events"), 0.05)
        assert not steady.contexts[0].stop.is_set()
        steady.go_on.set()
    assert (await kit.executions(task.id))[0].ended_by is EndedBy.RELEASED


async def test_after_the_time_for_it_work_is_given_back(tmp_path: Path) -> None:
    steady = Steady()
    kit = AgentKit(tmp_path, steady)
    async with kit.running(drain_timeout=0.01, stop_patience=0.01):
        (task,) = await kit.submit(task_type="patient")
        await steady.begun.wait()
    (execution,) = await kit.executions(task.id)
    assert execution.ended_by is EndedBy.RELEASED
    assert (await kit.kit.task(task.id)).status is TaskStatus.PENDING
