import pytest

from tests.unit.api.client import Answer, Client
from tests.unit.api.master import Master

BASE = "/api/distribution"

# Every path of S4, with its method.
PATHS = [
    ("post", "/devices/register"),
    ("get", "/devices"),
    ("put", "/devices/{device_id}/status"),
    ("post", "/devices/{device_id}/heartbeat"),
    ("post", "/tasks"),
    ("get", "/tasks"),
    ("put", "/tasks/{task_id}/assign"),
    ("put", "/tasks/{task_id}/status"),
    ("get", "/tasks/pull"),
    ("get", "/system/overview"),
    ("get", "/devices/{device_id}/stats"),
    ("get", "/tasks/stats"),
]


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_every_path_of_the_guide_is_there(
    document: dict[str, dict[str, object]], method: str, path: str
) -> None:
    assert method in document["paths"][BASE + path]  # type: ignore[operator]


async def test_a_device_registers_and_is_listed(master: Master) -> None:
    told = await master.client("node").post(
        f"{BASE}/devices/register",
        {"device_id": "worker 2", "device_name": "Worker Node 2", "host": "10.0.0.2", "concurrent_tasks": 5},
    )
    assert told.status == 201
    devices = (await master.client().get(f"{BASE}/devices")).json["devices"]
    (device,) = [device for device in devices if device["device_id"] == "worker 2"]
    assert (device["device_name"], device["concurrent_tasks"]) == ("Worker Node 2", 5)
    client = Client(master.app, told.json["token"])
    beat = await client.post(f"{BASE}/devices/worker 2/heartbeat", {"load": 0.5})
    assert (beat.status, beat.json["status"]) == (200, "online")


@pytest.mark.parametrize("status", ["maintenance", "draining", "offline", "online"])
async def test_the_status_of_a_device_is_set(master: Master, status: str) -> None:
    await master.assigned()
    answer = await master.client("operator").request(
        "PUT", f"{BASE}/devices/worker-001/status", json={"status": status}
    )
    assert (answer.status, answer.json["status"]) == (200, status)


async def test_a_device_that_nobody_knows_is_a_404_for_operators_only(master: Master) -> None:
    path = f"{BASE}/devices/nobody/heartbeat"
    assert (await master.client("operator").post(path, {})).status == 404
    assert (await master.client("viewer").post(path, {})).status == 403
    assert (await master.node_client.post(path, {})).status == 401


async def test_a_task_goes_the_way_of_the_guide(master: Master) -> None:
    created = await master.client("operator").post(f"{BASE}/tasks", {"task_type": "noop", "priority": 8})
    assert (created.status, list(created.json)) == (201, ["task_id", "status", "created_at", "priority"])
    task_id = created.json["task_id"]
    assigned = await _put(master.client("operator"), task_id, "assign", {"device_id": "worker-001"})
    assert (assigned.json["status"], assigned.json["assigned_node"]) == ("assigned", "worker-001")
    assert await _pulled(master) == await _pulled(master) == [task_id]
    begun = await _put(master.node_client, task_id, "status", {"status": "processing"})
    assert begun.json["status"] == "processing"
    assert await _pulled(master) == []
    done = await _put(master.node_client, task_id, "status", {"status": "completed", "result": {"n": 1}})
    assert (done.json["status"], done.json["result"]["data"]) == ("completed", {"n": 1})
    stats = (await master.client().get(f"{BASE}/devices/worker-001/stats")).json
    assert stats["completed"] == 1
    assert (await master.client().get(f"{BASE}/tasks/stats")).json["by_status"]["completed"] == 1
    listed = (await master.client().get(f"{BASE}/tasks", device_id="worker-001")).json["tasks"]
    assert [task["id"] for task in listed] == [task_id]


async def test_a_url_alone_is_a_task(master: Master) -> None:
    created = await master.client().post(f"{BASE}/tasks", {"url": "https://example.com/"})
    task = (await master.client().get(f"/api/v1/tasks/{created.json['task_id']}")).json
    assert task["parameters"] == {"url": "https://example.com/"}


async def test_a_device_reports_a_failure(master: Master) -> None:
    task_id = await master.assigned(max_retries=0)
    answer = await _put(master.node_client, task_id, "status", {"status": "failed", "error": "no luck"})
    assert (answer.json["status"], answer.json["result"]["error"]) == ("failed", "no luck")


@pytest.mark.parametrize(
    ("statuses", "last"), [(["paused", "pending"], "pending"), (["cancelled", "pending"], "pending")]
)
async def test_an_operator_steers_by_status(master: Master, statuses: list[str], last: str) -> None:
    task_id = await master.submit()
    for status in statuses:
        answer = await _put(master.client("operator"), task_id, "status", {"status": status})
        assert answer.status == 200, answer
    assert answer.json["status"] == last


async def test_a_device_may_not_steer(master: Master) -> None:
    task_id = await master.assigned()
    answer = await _put(master.node_client, task_id, "status", {"status": "cancelled"})
    assert (answer.status, answer.error["code"]) == (403, "forbidden")


async def test_a_status_that_nobody_works_towards_is_a_conflict(master: Master) -> None:
    task_id = await master.submit()
    answer = await _put(master.client("operator"), task_id, "status", {"status": "completed"})
    assert (answer.status, answer.error["code"]) == (409, "conflict")


async def test_a_device_that_cannot_do_a_task_does_not_get_it(master: Master) -> None:
    task_id = await master.submit(capabilities={"javascript_rendering": 1})
    answer = await _put(master.client(), task_id, "assign", {"device_id": "worker-001"})
    assert (answer.status, answer.error["code"]) == (409, "conflict")
    assert "javascript_rendering" in answer.error["message"]
    ids = [await master.assigned() for _ in range(4)]
    full = await _put(master.client(), await master.submit(), "assign", {"device_id": "worker-001"})
    assert "4 places" in full.error["message"]
    twice = await _put(master.client(), ids[0], "assign", {"device_id": "worker-001"})
    assert (twice.status, twice.json["assigned_node"]) == (200, "worker-001")


async def _put(client: Client, task_id: str, what: str, body: object) -> Answer:
    return await client.request("PUT", f"{BASE}/tasks/{task_id}/{what}", json=body)


async def _pulled(master: Master) -> list[str]:
    answer = await master.node_client.get(f"{BASE}/tasks/pull", device_id="worker-001", limit=5)
    return [task["task_id"] for task in answer.json["tasks"]]


async def test_a_task_that_is_recognised_is_told_apart(master: Master) -> None:
    task = {"url": "https://example.com/", "deduplicate": True}
    first = await master.client().post(f"{BASE}/tasks", task)
    again = await master.client().post(f"{BASE}/tasks", task)
    assert (first.status, again.status) == (201, 200)
    assert again.json == {**first.json, "duplicate": True}
