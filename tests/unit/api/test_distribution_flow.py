"""What a client of the user guide does, from its registration to the end of its tasks."""

from typing import Any

import pytest

from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.schedule import Schedule
from crawlmesh.control.loops.wake_waiting import WakeWaiting
from tests.unit.api.client import Answer, Client
from tests.unit.api.master import Master

BASE = "/api/distribution"
KINDS = [{"url": "https://example.com/"}, {"task_type": "own_type", "parameters": {"n": 1}}]


class Cluster:
    """A master with its scheduler, and devices that speak as the guide says."""

    def __init__(self, master: Master) -> None:
        self.master = master
        self.operator = master.client("operator")
        self.devices: dict[str, Client] = {}

    async def start(self) -> None:
        context = self.master.context
        await self.operator.request("PUT", f"{BASE}/devices/worker-001/status", json={"status": "offline"})
        taken = await context.store.lead("test", 1e9, context.clock.now())
        assert taken is not None
        lead = Lead(context.clock, taken.fence, context.clock.monotonic() + 1e9)
        self.schedule = Schedule(context, lead, FleetView(context))
        self.wake = WakeWaiting(context, lead)

    async def join(self, name: str, **fields: Any) -> Client:
        told = await self.master.client("node").post(
            f"{BASE}/devices/register", {"device_id": name, "device_name": name, **fields}
        )
        assert told.status == 201, told
        self.devices[name] = Client(self.master.app, told.json["token"])
        return self.devices[name]

    async def create(self, **fields: Any) -> str:
        created = await self.operator.post(f"{BASE}/tasks", fields)
        assert created.status == 201, created
        return str(created.json["task_id"])

    async def place(self) -> None:
        now = self.master.clock.now()
        await self.wake.run_once(now)
        while await self.schedule.run_once(now):
            pass

    async def pull(self, name: str) -> list[str]:
        answer = await self.devices[name].get(f"{BASE}/tasks/pull", device_id=name)
        assert answer.status == 200, answer
        return [task["task_id"] for task in answer.json["tasks"]]

    async def say(self, name: str, task_id: str, status: str, **fields: Any) -> Answer:
        body = {"status": status, **fields}
        return await self.devices[name].request("PUT", f"{BASE}/tasks/{task_id}/status", json=body)

    async def shown(self, task_id: str) -> dict[str, Any]:
        listed = (await self.operator.get(f"{BASE}/tasks")).json["tasks"]
        (task,) = [task for task in listed if task["id"] == task_id]
        one: dict[str, Any] = (await self.operator.get(f"/api/v1/tasks/{task_id}")).json
        assert task == one
        return one


@pytest.fixture
async def cluster(master: Master) -> Cluster:
    made = Cluster(master)
    await made.start()
    return made


@pytest.mark.parametrize("kind", KINDS)
async def test_a_device_does_a_task_from_end_to_end(cluster: Cluster, kind: dict[str, Any]) -> None:
    await cluster.join("a")
    task_id = await cluster.create(**kind)
    await cluster.place()
    assert await cluster.pull("a") == await cluster.pull("a") == [task_id]
    assert (await cluster.say("a", task_id, "processing")).json["status"] == "processing"
    assert await cluster.pull("a") == []
    done = await cluster.say("a", task_id, "completed", result={"title": "Example"}, device_id="a")
    assert done.json["status"] == "completed"
    await cluster.place()
    assert await cluster.pull("a") == []
    task = await cluster.shown(task_id)
    assert (task["status"], task["result"]["data"]) == ("completed", {"title": "Example"})
    assert task["result"]["success"] is True


@pytest.mark.parametrize("kind", KINDS)
async def test_a_failed_task_is_tried_again_and_then_given_up(cluster: Cluster, kind: dict[str, Any]) -> None:
    await cluster.join("a")
    task_id = await cluster.create(max_retries=1, **kind)
    for after in ("waiting", "failed"):
        await cluster.place()
        assert await cluster.pull("a") == [task_id]
        await cluster.say("a", task_id, "processing")
        failed = await cluster.say("a", task_id, "failed", error="no luck")
        assert failed.json["status"] == after
        cluster.master.clock.advance(1000.0)
    task = await cluster.shown(task_id)
    assert (task["retry_count"], task["result"]["error"]) == (1, "no luck")


async def test_a_failed_task_may_be_completed_by_its_retry(cluster: Cluster) -> None:
    await cluster.join("a")
    task_id = await cluster.create(url="https://example.com/")
    await cluster.place()
    await cluster.say("a", task_id, "failed", error="no luck")
    cluster.master.clock.advance(1000.0)
    await cluster.place()
    assert await cluster.pull("a") == [task_id]
    await cluster.say("a", task_id, "completed", result={"n": 1})
    assert (await cluster.shown(task_id))["result"]["data"] == {"n": 1}


async def test_of_several_devices_the_first_that_is_done_gives_the_result(cluster: Cluster) -> None:
    for name in "ab":
        await cluster.join(name)
    task_id = await cluster.create(url="https://example.com/")
    await cluster.place()
    assert await cluster.pull("a") == await cluster.pull("b") == [task_id]
    await cluster.say("a", task_id, "processing")
    assert (await cluster.pull("a"), await cluster.pull("b")) == ([], [task_id])
    await cluster.say("b", task_id, "processing")
    await cluster.say("a", task_id, "completed", result={"by": "a"})
    assert await cluster.pull("b") == []  # b is through with it, too
    task = await cluster.shown(task_id)
    assert (task["status"], task["result"]["data"]) == ("completed", {"by": "a"})


async def test_a_late_failure_does_not_take_the_result_away(cluster: Cluster) -> None:
    for name in "ab":
        await cluster.join(name)
    task_id = await cluster.create(url="https://example.com/")
    await cluster.place()
    await cluster.say("a", task_id, "completed", result={"by": "a"})
    assert (await cluster.shown(task_id))["status"] == "processing"
    await cluster.say("b", task_id, "failed", error="no luck")
    task = await cluster.shown(task_id)
    assert (task["status"], task["result"]["data"]) == ("completed", {"by": "a"})


async def test_an_operator_speaks_for_one_of_several_devices(cluster: Cluster) -> None:
    for name in "abc":
        await cluster.join(name)
    task_id = await cluster.create(url="https://example.com/", max_nodes=2)
    await cluster.place()
    path = f"{BASE}/tasks/{task_id}/status"
    unclear = await cluster.operator.request("PUT", path, json={"status": "processing"})
    assert unclear.status == 409
    assert "device_id" in unclear.error["message"]
    (idle,) = [name for name in "abc" if await cluster.pull(name) == []]
    wrong = await cluster.operator.request("PUT", path, json={"status": "processing", "device_id": idle})
    assert (wrong.status, idle in wrong.error["message"]) == (409, True)
    (worker, _) = [name for name in "abc" if name != idle]
    begun = await cluster.operator.request("PUT", path, json={"status": "processing", "device_id": worker})
    assert begun.status == 200
    assert await cluster.pull(worker) == []


async def test_a_task_that_the_scheduler_gave_to_the_device_is_assigned_already(cluster: Cluster) -> None:
    await cluster.join("a")
    task_id = await cluster.create(task_type="own_type")
    await cluster.place()
    assert (await _assign(cluster, task_id, "a")).status == 200
    assert await cluster.pull("a") == [task_id]


async def test_a_task_that_another_device_has_not_begun_moves(cluster: Cluster) -> None:
    await cluster.join("a")
    task_id = await cluster.create(task_type="own_type")
    await cluster.place()
    await cluster.join("b")
    moved = await _assign(cluster, task_id, "b")
    assert (moved.status, moved.json["status"], moved.json["assigned_node"]) == (200, "assigned", "b")
    assert (await cluster.pull("a"), await cluster.pull("b")) == ([], [task_id])
    await cluster.place()
    await cluster.say("b", task_id, "processing")
    late = await _assign(cluster, task_id, "a")
    assert (late.status, late.error["code"]) == (409, "conflict")
    await cluster.say("b", task_id, "completed", result={"n": 1})
    assert (await cluster.shown(task_id))["status"] == "completed"


async def test_a_device_goes_offline_and_comes_online_again(cluster: Cluster) -> None:
    device = await cluster.join("a")
    for status in ("offline", "online", "maintenance", "offline", "online", "draining", "online"):
        answer = await device.request("PUT", f"{BASE}/devices/a/status", json={"status": status})
        assert (answer.status, answer.json["status"]) == (200, status)
    task_id = await cluster.create(task_type="own_type")
    await cluster.place()
    assert await cluster.pull("a") == [task_id]


async def test_online_is_a_sign_of_life(cluster: Cluster) -> None:
    device = await cluster.join("a")
    await device.request("PUT", f"{BASE}/devices/a/status", json={"status": "offline"})
    cluster.master.clock.advance(100_000.0)
    await device.request("PUT", f"{BASE}/devices/a/status", json={"status": "online"})
    node = await cluster.master.context.store.node("a")
    assert node is not None
    assert node.last_heartbeat == cluster.master.clock.now()


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("devices/a/status", "online, offline, maintenance, draining"),
        ("tasks/TASK/status", "processing, completed"),
    ],
)
async def test_a_status_that_nobody_knows_is_answered_with_those_there_are(
    cluster: Cluster, path: str, names: str
) -> None:
    device = await cluster.join("a")
    task_id = await cluster.create(task_type="own_type")
    await cluster.place()
    where = f"{BASE}/{path.replace('TASK', task_id)}"
    answer = await device.request("PUT", where, json={"status": "busy"})
    assert (answer.status, answer.error["field"]) == (422, "status")
    assert names in answer.error["message"]
    assert '"busy"' in answer.error["message"]
    missing = await device.request("PUT", where, json={})
    assert names in missing.error["message"]


async def test_a_registration_has_other_names_for_its_fields(cluster: Cluster) -> None:
    await cluster.join(
        "a", ip_address="10.0.0.7", port=9000, device_type="gpu", max_concurrent_tasks=7, os="Linux"
    )
    devices = (await cluster.operator.get(f"{BASE}/devices")).json["devices"]
    (device,) = [device for device in devices if device["device_id"] == "a"]
    assert (device["host"], device["port"], device["device_type"]) == ("10.0.0.7", 9000, "gpu")
    assert device["concurrent_tasks"] == 7


@pytest.mark.parametrize(
    ("body", "usage", "load"),
    [
        (None, {}, 0.0),
        ({}, {}, 0.0),
        (
            {"cpu_usage": 0.5, "memory_usage": 0.25, "load": 0.5},
            {"cpu_usage": 0.5, "memory_usage": 0.25},
            0.5,
        ),
        ({"cpu_usage": 45, "disk_usage": 80.0, "uptime": 5}, {"cpu_usage": 0.45, "disk_usage": 0.8}, 0.0),
        ({"resources": {"cpu_usage": 0.1}, "cpu_usage": 0.9}, {"cpu_usage": 0.1}, 0.0),
    ],
)
async def test_a_heartbeat_may_be_flat_or_empty(
    cluster: Cluster, body: Any, usage: dict[str, float], load: float
) -> None:
    device = await cluster.join("a")
    answer = await device.post(f"{BASE}/devices/a/heartbeat", body)
    assert (answer.status, answer.json["status"]) == (200, "online")
    node = await cluster.master.context.store.node("a")
    assert node is not None
    assert (node.usage, node.load) == (usage, load)


async def test_a_heartbeat_may_tell_but_the_number_of_tasks(cluster: Cluster) -> None:
    device = await cluster.join("a")
    await cluster.create(task_type="own_type")
    await cluster.place()
    await device.post(f"{BASE}/devices/a/heartbeat", {"active_tasks": 1})
    node = await cluster.master.context.store.node("a")
    assert node is not None
    assert node.active_tasks == 1


async def test_fields_that_nobody_knows_are_left_alone(cluster: Cluster) -> None:
    device = await cluster.join("a")
    task_id = await cluster.create(task_type="own_type", created_by="somebody")
    await cluster.place()
    told = await cluster.say("a", task_id, "completed", result={}, progress=100)
    assert told.status == 200
    status = await device.request("PUT", f"{BASE}/devices/a/status", json={"status": "offline", "why": "x"})
    assert status.status == 200


async def _assign(cluster: Cluster, task_id: str, device_id: str) -> Answer:
    path = f"{BASE}/tasks/{task_id}/assign"
    return await cluster.operator.request("PUT", path, json={"device_id": device_id, "note": "by hand"})
