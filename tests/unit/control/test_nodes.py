import pytest
from msgspec import UNSET

from crawlmesh.control.append_logs import append_logs
from crawlmesh.control.authenticate_node import authenticate_node
from crawlmesh.control.drain_node import drain_node
from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.leave import leave
from crawlmesh.control.loops.heartbeat_timeouts import HeartbeatTimeouts
from crawlmesh.control.maintain_node import maintain_node
from crawlmesh.control.register_node import register_node
from crawlmesh.control.remove_node import remove_node
from crawlmesh.control.resume_node import resume_node
from crawlmesh.control.rotate_token import rotate_token
from crawlmesh.control.unregister_node import unregister_node
from crawlmesh.errors import InvalidError, NotFoundError, StaleSessionError, UnauthenticatedError
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import EndedBy
from crawlmesh.model.node import HealthStatus, NodeHealth, NodeStatus
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.node_messages import HeartbeatMessage, LogMessage, NodeLogLine, Registration
from crawlmesh.testing.builders import lease_request
from tests.unit.control.kit import ControlKit


async def test_a_node_gets_an_id_a_session_and_a_token_whose_hash_is_kept() -> None:
    kit = ControlKit(heartbeat_interval=12.0)
    answer = await register_node(kit.context, Registration(name="one", ip_address="10.0.0.1", port=80))
    assert answer.node_id.startswith("node-")
    assert len(answer.node_id) == len("node-") + 8
    assert (answer.session, answer.initial_status, answer.heartbeat_interval) == (1, "online", 12.0)
    assert len(answer.token) == 64
    assert answer.token not in str(await kit.node(answer.node_id))
    assert (await authenticate_node(kit.context, answer.node_id, answer.token)).id == answer.node_id


async def test_a_device_id_that_can_be_one_is_the_node_id() -> None:
    kit = ControlKit()
    assert (await kit.join("rack-1.a_b")).node_id == "rack-1.a_b"
    assert (await kit.join("white space")).node_id.startswith("node-")


async def test_the_same_identity_is_the_same_node_with_a_new_token_and_the_next_session() -> None:
    kit = ControlKit()
    first = await register_node(kit.context, Registration(name="one", ip_address="10.0.0.1", port=80))
    again = await register_node(kit.context, Registration(name="one", ip_address="10.0.0.1", port=80))
    assert (again.node_id, again.session) == (first.node_id, 2)
    with pytest.raises(UnauthenticatedError):
        await authenticate_node(kit.context, first.node_id, first.token)
    await authenticate_node(kit.context, again.node_id, again.token)


async def test_what_an_earlier_process_still_had_is_lost_at_once() -> None:
    kit = ControlKit()
    first = await kit.join(capabilities={"processes": 2})
    [task] = await kit.submit()
    await kit.place()
    await kit.make_crawl("crawl", "1")
    await kit.crawl_store.lease(lease_request("crawl", node_id="a/2"))
    await kit.join(capabilities={"processes": 2})
    again = await kit.task(task.id)
    assert (again.status, again.losses) == (TaskStatus.PENDING, 1)
    assert [each.ended_by for each in await kit.executions(task.id)] == [EndedBy.NODE_LOST]
    assert (await kit.crawl_store.progress("crawl")).leased == 1, "it may still be fetching"
    await kit.join(new_process=True)
    assert (await kit.crawl_store.progress("crawl")).leased == 0
    with pytest.raises(StaleSessionError):
        await kit.pull(first)


async def test_a_task_that_crashes_its_worker_again_and_again_is_given_up() -> None:
    kit = ControlKit(max_losses=2)
    [task] = await kit.submit()
    for crashes in range(3):
        await kit.join()
        assert (await kit.task(task.id)).losses == crashes
        kit.clock.advance(2.0)
        assert await kit.place() == 1
    await kit.join()
    assert (await kit.task(task.id)).status is TaskStatus.FAILED


async def test_a_worker_that_left_in_order_and_comes_back_has_lost_nothing() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    await leave(kit.context, "a", node.session)
    await kit.join()
    assert (await kit.task(task.id)).losses == 0


async def test_a_node_that_registers_again_is_heard_of_now_and_gets_work_at_once() -> None:
    kit = ControlKit()
    node = await kit.join()
    await heartbeat(kit.context, "a", HeartbeatMessage(session=node.session, load=1.0))
    await kit.store.record_health([("a", NodeHealth(HealthStatus.UNREACHABLE, {}, kit.now))])
    kit.clock.advance(1000.0)
    await kit.join()
    again = await kit.node("a")
    assert (again.last_heartbeat, again.load, again.health) == (kit.now, 0.0, NodeHealth())
    await kit.submit()
    assert await kit.place() == 1


async def test_a_node_that_speaks_again_gets_work_at_once() -> None:
    kit = ControlKit()
    node = await kit.join()
    await kit.leads()
    kit.clock.advance(91.0)
    await HeartbeatTimeouts(kit.context, kit.lead, kit.view).run_once(kit.now)
    await kit.store.record_health([("a", NodeHealth(HealthStatus.UNREACHABLE, {}, kit.now))])
    await heartbeat(kit.context, "a", HeartbeatMessage(session=node.session))
    kit.clock.advance(2.0)
    await kit.submit()
    assert await kit.place() == 1


async def test_registering_decides_again_when_it_loses_a_race() -> None:
    kit = ControlKit()
    await kit.join()

    async def meanwhile() -> None:
        await maintain_node(kit.context, "a")

    kit.store.before["change_nodes"] = meanwhile
    assert (await kit.join()).session == 2
    assert (await kit.node("a")).status is NodeStatus.MAINTENANCE


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"name": ""}, "name"),
        ({"port": 70_000}, "port"),
        ({"slots": 0}, "slots"),
        ({"weight": 0.0}, "weight"),
        ({"resources": {"cpu": float("nan")}}, "resources.cpu"),
    ],
)
async def test_a_bad_registration_is_refused(fields: dict[str, object], field: str) -> None:
    kit = ControlKit()
    with pytest.raises(InvalidError) as caught:
        await register_node(kit.context, Registration(**{"name": "a", **fields}))  # type: ignore[arg-type]
    assert caught.value.field == field


async def test_a_node_of_an_unknown_cluster_is_refused() -> None:
    kit = ControlKit()
    with pytest.raises(NotFoundError, match="'none'") as caught:
        await register_node(kit.context, Registration(name="a", cluster_id="none"))
    assert caught.value.field == "cluster_id"


async def test_a_wrong_token_and_an_unknown_node_get_nothing() -> None:
    kit = ControlKit()
    node = await kit.join()
    for node_id, token in (("a", "0" * 64), ("a", ""), ("b", node.token)):
        with pytest.raises(UnauthenticatedError):
            await authenticate_node(kit.context, node_id, token)


async def test_a_known_token_is_not_looked_up_each_time() -> None:
    kit = ControlKit()
    node = await kit.join()
    for _ in range(3):
        await authenticate_node(kit.context, "a", node.token)
    kit.store.calls.clear()
    await authenticate_node(kit.context, "a", node.token)
    assert kit.store.calls == []
    kit.clock.advance(3.0)
    await authenticate_node(kit.context, "a", node.token)
    assert kit.store.calls == ["node"]


async def test_a_rotated_token_replaces_the_old_one() -> None:
    kit = ControlKit()
    node = await kit.join()
    await authenticate_node(kit.context, "a", node.token)
    token = await rotate_token(kit.context, "a")
    await authenticate_node(kit.context, "a", token)
    with pytest.raises(UnauthenticatedError):
        await authenticate_node(kit.context, "a", node.token)


async def test_a_heartbeat_is_kept_and_told() -> None:
    kit = ControlKit()
    node = await kit.join()
    message = HeartbeatMessage(
        resources={"cpu_usage": 0.5}, load=0.25, active_tasks=("t",), session=node.session
    )
    answer = await heartbeat(kit.context, "a", message)
    assert (answer.node_id, answer.timestamp, answer.status) == ("a", kit.now, "online")
    stored = await kit.node("a")
    assert (stored.load, stored.usage, stored.active_tasks) == (0.25, {"cpu_usage": 0.5}, 1)
    [event] = await kit.told(EventType.NODE_HEARTBEAT)
    assert event.data["heartbeat"]["load"] == 0.25


async def test_a_heartbeat_of_an_unknown_node_or_an_old_session_is_refused() -> None:
    kit = ControlKit()
    with pytest.raises(NotFoundError):
        await heartbeat(kit.context, "a", HeartbeatMessage())
    await kit.join()
    await kit.join()
    with pytest.raises(StaleSessionError):
        await heartbeat(kit.context, "a", HeartbeatMessage(session=1))
    assert (await heartbeat(kit.context, "a", HeartbeatMessage())).status == "online"


async def test_readings_that_are_no_numbers_are_left_out() -> None:
    kit = ControlKit()
    await kit.join()
    message = HeartbeatMessage(
        resources={"cpu_usage": float("nan")}, load=float("inf"), task_latency=float("nan")
    )
    await heartbeat(kit.context, "a", message)
    assert ((await kit.node("a")).load, (await kit.node("a")).usage) == (1.0, {})


async def test_a_node_drains_and_then_is_offline_until_it_registers() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    await drain_node(kit.context, "a")
    known = (assignment.execution.id,)
    assert (await kit.pull(node, known=known)).status == "draining"
    await kit.submit()
    kit.clock.advance(2.0)
    assert await kit.place() == 0
    await kit.report(node, assignment)
    assert (await kit.pull(node)).status == "offline"
    assert (await heartbeat(kit.context, "a", HeartbeatMessage(session=node.session))).status == "offline"
    assert (await kit.task(task.id)).status is TaskStatus.COMPLETED
    assert (await kit.join()).initial_status == "online"


async def test_maintenance_keeps_new_work_away_until_the_node_is_resumed() -> None:
    kit = ControlKit()
    await kit.join()
    await maintain_node(kit.context, "a")
    await kit.submit()
    assert await kit.place() == 0
    await resume_node(kit.context, "a")
    kit.clock.advance(2.0)
    assert await kit.place() == 1


async def test_a_node_that_leaves_hands_over_its_work() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    assert (await leave(kit.context, "a", node.session)).status is NodeStatus.OFFLINE
    await leave(kit.context, "a", node.session)
    handed_over = await kit.task(task.id)
    assert (handed_over.status, handed_over.losses) == (TaskStatus.PENDING, 0)


async def test_an_unregistered_node_is_offline_and_a_removed_one_is_forgotten() -> None:
    kit = ControlKit()
    await kit.join("a")
    await kit.join("b")
    [task] = await kit.submit()
    await kit.place()
    assert (await unregister_node(kit.context, "a")).status is NodeStatus.OFFLINE
    await remove_node(kit.context, "b")
    assert await kit.store.node("b") is None
    assert (await kit.task(task.id)).status is TaskStatus.PENDING
    assert [event.node_id for event in await kit.told(EventType.NODE_UNREGISTERED)] == ["a", "b"]
    with pytest.raises(NotFoundError):
        await remove_node(kit.context, "b")


async def test_log_lines_are_kept_for_executions_of_the_node_only() -> None:
    kit = ControlKit()
    one, two = await kit.join("a"), await kit.join("b")
    [task] = await kit.submit()
    await kit.place()
    owner, other = (one, two) if (await kit.pull(one)).assignments else (two, one)
    [execution] = await kit.executions(task.id)
    line = NodeLogLine(execution_id=execution.id, task_id="wrong", at=1.0, level="LOUD", message="hello")
    await append_logs(kit.context, other.node_id, LogMessage(session=1, lines=(line,)))
    await append_logs(kit.context, owner.node_id, LogMessage(session=1, lines=(line,)))
    [kept] = await kit.store.logs(task.id)
    assert (kept.message, kept.level, kept.node_id) == ("hello", "INFO", owner.node_id)


async def test_a_heartbeat_between_two_is_the_latest_and_is_not_kept() -> None:
    kit = ControlKit()
    node = await kit.join()
    rates = {"cpu_usage": 0.5, "pages": 1.0}
    answer = await heartbeat(
        kit.context, node.node_id, HeartbeatMessage(session=node.session, resources=rates)
    )
    assert answer.between == 5.0
    told = len(await kit.told(EventType.NODE_HEARTBEAT))
    kit.clock.advance(5.0)
    message = HeartbeatMessage(session=node.session, resources={**rates, "pages": 9.0}, between=True)
    await heartbeat(kit.context, node.node_id, message)
    known = await kit.node(node.node_id)
    assert (known.usage["pages"], known.last_heartbeat) == (9.0, kit.now)
    assert len(await kit.told(EventType.NODE_HEARTBEAT)) == told
    assert len(await kit.store.heartbeat_history(node.node_id, 0.0, 10)) == 1


async def test_the_more_nodes_there_are_the_less_often_each_speaks_between() -> None:
    kit = ControlKit()
    nodes = [await kit.join(f"node-{number}") for number in range(200)]
    message = HeartbeatMessage(resources={"pages": 1.0})
    answers = []
    for node in nodes:
        await authenticate_node(kit.context, node.node_id, node.token)
        answers.append(await heartbeat(kit.context, node.node_id, message))
    assert (answers[0].between, answers[-1].between) == (5.0, 20.0)
    plain = await heartbeat(kit.context, nodes[0].node_id, HeartbeatMessage(resources={"cpu_usage": 1.0}))
    assert plain.between is UNSET
