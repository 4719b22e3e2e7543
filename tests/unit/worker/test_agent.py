import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.control.drain_node import drain_node
from crawlmesh.control.register_node import register_node
from crawlmesh.control.steer_tasks import cancel_task, pause_task
from crawlmesh.errors import InvalidError, UnauthenticatedError
from crawlmesh.model.execution import Assignment, EndedBy
from crawlmesh.model.node import NodeStatus
from crawlmesh.model.task import Task, TaskResult, TaskStatus
from crawlmesh.protocol.node_messages import Registered, Registration
from crawlmesh.worker.execution_context import ExecutionContext
from tests.unit.worker.agent_kit import AgentKit, Patient


def _ended(task: Task) -> bool:
    return task.ended


class Broken:
    task_type = "broken"

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        if assignment.task.parameters.get("bad"):
            raise InvalidError("parameters.bad: is bad.")
        raise ValueError("it broke")


async def test_tasks_come_and_their_results_go(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path)
    async with kit.running():
        tasks = await kit.submit(6, task_type="noop", parameters={"answer": 42})
        done = [await kit.until(task.id, _ended) for task in tasks]
    assert {task.status for task in done} == {TaskStatus.COMPLETED}
    assert all(task.result and task.result.data == {"answer": 42} for task in done)


async def test_a_cancelled_task_ends_and_its_place_is_free_again(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    async with kit.running(slots=1):
        (task,) = await kit.submit(task_type="patient")
        await patient.begun.wait()
        await cancel_task(kit.kit.context, task.id)
        (other,) = await kit.submit(task_type="noop")
        assert (await kit.until(other.id, _ended)).status is TaskStatus.COMPLETED
        (execution,) = await kit.executions(task.id)
    assert execution.ended_by is EndedBy.CANCELLED
    assert (await kit.kit.task(task.id)).status is TaskStatus.CANCELLED


async def test_an_executor_that_does_not_listen_is_broken_off(tmp_path: Path) -> None:
    class Deaf(Patient):
        async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
            self.begun.set()
            await asyncio.get_running_loop().create_future()
            raise AssertionError

    deaf = Deaf()
    kit = AgentKit(tmp_path, deaf)
    async with kit.running(stop_patience=0.01):
        (task,) = await kit.submit(task_type="patient")
        await deaf.begun.wait()
        await pause_task(kit.kit.context, task.id)
        while (await kit.executions(task.id))[0].ended_by is None:
            await kit.kit.store.wait("events", kit.kit.store.mark("events"), 0.05)
        assert (await kit.executions(task.id))[0].ended_by is EndedBy.PAUSED


async def test_failures_are_told_and_bad_parameters_are_not_tried_again(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path, Broken())
    async with kit.running():
        (first,) = await kit.submit(task_type="broken")
        (second,) = await kit.submit(task_type="broken", parameters={"bad": True})
        waiting = await kit.until(first.id, lambda task: task.status is TaskStatus.WAITING)
        failed = await kit.until(second.id, _ended)
    assert waiting.retry_count == 1
    (execution,) = await kit.executions(first.id)
    assert execution.result is not None
    assert execution.result.error == "ValueError: it broke"
    assert failed.status is TaskStatus.FAILED
    assert failed.result is not None
    assert failed.result.error == "parameters.bad: is bad."


async def test_logs_of_an_execution_are_kept(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    async with kit.running():
        (task,) = await kit.submit(task_type="patient")
        await patient.begun.wait()
        patient.go_on.set()
        await kit.until(task.id, _ended)
    lines = await kit.kit.store.logs(task.id)
    assert [(line.level, line.message) for line in lines] == [("INFO", "begun")]


async def test_a_leaving_node_gives_back_what_it_has(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    async with kit.running() as agent:
        (task,) = await kit.submit(task_type="patient")
        await patient.begun.wait()
        node_id = agent.node_id
    assert (await kit.kit.task(task.id)).status is TaskStatus.PENDING
    (execution,) = await kit.executions(task.id)
    assert execution.ended_by is EndedBy.RELEASED
    assert (await kit.kit.node(node_id)).status is NodeStatus.OFFLINE
    assert not patient.contexts[0]._folder.exists()


async def test_an_abort_ends_at_once(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    agent = kit.agent()
    run = asyncio.ensure_future(agent.run())
    await agent.registered.wait()
    (task,) = await kit.submit(task_type="patient")
    await patient.begun.wait()
    agent.abort()
    await run
    assert (await kit.executions(task.id))[0].ended_by is None


async def test_a_drained_node_finishes_and_leaves(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    agent = kit.agent()
    run = asyncio.ensure_future(agent.run())
    await agent.registered.wait()
    (task,) = await kit.submit(task_type="patient")
    await patient.begun.wait()
    await drain_node(kit.kit.context, agent.node_id)
    patient.go_on.set()
    await run
    task = await kit.kit.task(task.id)
    assert (await kit.kit.node(agent.node_id)).status is NodeStatus.OFFLINE
    assert task.status in (TaskStatus.COMPLETED, TaskStatus.PENDING)


async def test_an_idle_node_that_is_drained_leaves(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path)
    agent = kit.agent()
    run = asyncio.ensure_future(agent.run())
    await agent.registered.wait()
    while not kit.master.heartbeats:
        await asyncio.sleep(0)
    await drain_node(kit.kit.context, agent.node_id)
    agent._heartbeats.soon()
    await run
    assert (await kit.kit.node(agent.node_id)).status is NodeStatus.OFFLINE


async def test_results_wait_while_the_master_is_away(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    async with kit.running():
        (task,) = await kit.submit(task_type="patient")
        await patient.begun.wait()
        kit.master.down = True
        patient.go_on.set()
        await kit.master.asked_in_vain.wait()
        kit.master.down = False
        done = await kit.until(task.id, _ended)
    assert done.status is TaskStatus.COMPLETED
    assert len(await kit.executions(task.id)) == 1


async def test_a_node_that_was_replaced_registers_again_and_goes_on(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    async with kit.running() as agent:
        (task,) = await kit.submit(task_type="patient")
        await patient.begun.wait()
        patient.begun.clear()
        node_id = agent.node_id
        (registration,) = kit.master.registrations
        await register_node(kit.kit.context, registration)  # as if it had been started twice
        agent._heartbeats.soon()
        await kit.until(task.id, lambda _: patient.begun.is_set())  # under the new session
        assert agent.node_id == node_id
        patient.go_on.set()
        done = await kit.until(task.id, _ended)
    assert done.status is TaskStatus.COMPLETED
    endings = [execution.ended_by for execution in await kit.executions(task.id)]
    assert endings[-1] is EndedBy.FINISHED


async def test_a_node_is_itself_again_after_a_restart(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path)
    async with kit.running() as first:
        node_id = first.node_id
    async with kit.running() as second:
        assert second.node_id == node_id
    kept = json.loads((tmp_path / "node.json").read_text())
    assert kept["node_id"] == node_id
    assert len(kept["token"]) == 64
    assert (tmp_path / "node.json").stat().st_mode & 0o777 == 0o600


async def test_a_node_says_what_it_can_do(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path, Patient())
    async with kit.running(
        region="eu", capabilities={"javascript_rendering": 1}, device_id="device-7"
    ) as agent:
        node = await kit.kit.node(agent.node_id)
        assert node.port == agent.port
    (registration,) = kit.master.registrations
    assert registration.device_id == "device-7"
    assert registration.task_types == ("noop", "patient")
    assert registration.resources["cpu"] >= 1
    assert registration.resources["memory_mb"] > 0
    assert (node.region, node.capabilities["javascript_rendering"]) == ("eu", 1)


async def test_heartbeats_carry_readings(tmp_path: Path) -> None:
    patient = Patient()
    kit = AgentKit(tmp_path, patient)
    async with kit.running(slots=2) as agent:
        (task,) = await kit.submit(task_type="patient")
        await patient.begun.wait()
        agent._heartbeats.soon()
        while len(kit.master.heartbeats) < 2:
            await asyncio.sleep(0)
    last = kit.master.heartbeats[-1]
    assert last.active_tasks == (task.id,)
    assert 0.5 <= last.load <= 1.0
    assert 0.0 < last.resources["memory_usage"] <= 1.0
    assert "cpu_usage" in last.resources


class Failing:
    """Cannot do anything."""

    task_type = "failing"

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        raise RuntimeError("broken")


async def _told(caplog: pytest.LogCaptureFixture, message: str) -> None:
    while message not in caplog.text:
        await asyncio.sleep(0.01)


async def test_errors_are_told_again_until_a_master_has_heard_of_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kit = AgentKit(tmp_path, Failing())
    async with kit.running() as agent:
        while not kit.master.heartbeats:
            await asyncio.sleep(0)
        (task,) = await kit.submit(task_type="failing", max_retries=0)
        await kit.until(task.id, _ended)
        kit.master.down = True
        agent._heartbeats.soon()
        await _told(caplog, "No master answers")
        kit.master.down = False
        while len(kit.master.heartbeats) < 2:
            await asyncio.sleep(0.01)
        agent._heartbeats.soon()
        while len(kit.master.heartbeats) < 3:
            await asyncio.sleep(0.01)
    assert [heartbeat.task_errors for heartbeat in kit.master.heartbeats[:3]] == [0, 1, 0]


async def test_the_log_tells_the_life_of_a_node(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "crawlmesh")
    kit = AgentKit(tmp_path)
    async with kit.running() as agent:
        (task,) = await kit.submit()
        await kit.until(task.id, _ended)
        kit.master.down = True
        agent._heartbeats.soon()
        await _told(caplog, "No master answers")
        kit.master.down = False
        await _told(caplog, "A master answers again.")
    said = [record for record in caplog.records if record.name.startswith("crawlmesh.WORKER")]
    assert [record.getMessage() for record in said] == [
        "The node starts.",
        "A master registered the node.",
        "Took an execution.",
        "An execution ended.",
        "No master answers; the node goes on and keeps asking.",
        "A master answers again.",
        "The node takes nothing new and gives back what it has.",
        "The node has left.",
    ]
    assert said[0].name == "crawlmesh.WORKER"
    assert {record.name for record in said[1:]} == {f"crawlmesh.WORKER-{agent.node_id}"}


async def test_a_node_that_may_not_join_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = AgentKit(tmp_path)

    async def refuse(_: Registration) -> Registered:
        raise UnauthenticatedError("The join token is not right.")

    monkeypatch.setattr(kit.master, "register", refuse)
    with pytest.raises(UnauthenticatedError, match="join token"):
        await kit.agent().run()


async def test_a_node_whose_master_never_answers_can_be_stopped(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path)
    kit.master.down = True
    agent = kit.agent()
    run = asyncio.ensure_future(agent.run())
    await kit.master.asked_in_vain.wait()
    agent.stop()
    await run


async def _get(port: int, request: str) -> tuple[str, Any]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{request} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    head, _, body = answer.partition("\r\n\r\n")
    return head.splitlines()[0], json.loads(body) if body else None


async def test_the_agent_answers_health_checks_and_nothing_else(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path)
    async with kit.running() as agent:
        status, body = await _get(agent.port, "GET /health")
        assert status == "HTTP/1.1 200 OK"
        assert body == {"node_id": agent.node_id, "status": "online"}
        assert (await _get(agent.port, "GET /etc/passwd"))[0] == "HTTP/1.1 404 Not Found"
        assert (await _get(agent.port, "POST /health"))[0] == "HTTP/1.1 405 Method Not Allowed"
        assert (await _get(agent.port, "rubbish"))[0] == "HTTP/1.1 404 Not Found"
