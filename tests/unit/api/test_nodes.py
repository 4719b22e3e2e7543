import asyncio

import pytest

from crawlmesh.api import examples
from crawlmesh.protocol.crawl_calls import ANSWERS_DECODER, ENCODER, CallRequest, make_call, result_of
from crawlmesh.testing.builders import crawl, lease_request
from tests.unit.api.client import Client
from tests.unit.api.master import NOW, Master

NODE = "/api/v1/nodes/worker-001"


async def test_the_registration_of_the_specification_is_answered_as_it_says(master: Master) -> None:
    answer = await master.client("node").post("/api/v1/nodes:register", examples.REGISTRATION)
    assert answer.status == 201
    told = answer.json
    assert list(told)[:3] == ["node_id", "registration_time", "initial_status"]
    assert answer.headers["location"] == f"/api/v1/nodes/{told['node_id']}"
    assert (told["registration_time"], told["initial_status"]) == (NOW, "online")
    assert len(told["token"]) == 64
    again = await master.client("node").post("/api/v1/nodes:register", examples.REGISTRATION)
    assert again.json["node_id"] == told["node_id"]
    assert again.json["token"] != told["token"]
    node = (await master.client("viewer").get(answer.headers["location"])).json
    for field, value in examples.REGISTRATION.items():
        assert node[field] == value
    assert "token" not in str(node)


async def test_the_heartbeat_of_the_specification_is_answered_as_it_says(master: Master) -> None:
    answer = await master.node_call("heartbeat", examples.HEARTBEAT)
    assert answer.json == {"node_id": "worker-001", "timestamp": NOW, "status": "online"}
    assert list(answer.json) == ["node_id", "timestamp", "status"]
    node = (await master.client().get(NODE)).json
    assert (node["load"], node["usage"], node["active_tasks"]) == (0.8, examples.HEARTBEAT["resources"], 2)
    (kept,) = (await master.client().get(f"{NODE}/heartbeats")).json["items"]
    assert (kept["at"], kept["usage"]) == ("2023-06-15T10:30:45Z", examples.HEARTBEAT["resources"])


async def test_what_a_newer_node_says_beyond_our_fields_is_passed_over(master: Master) -> None:
    answer = await master.node_call("heartbeat", {**examples.HEARTBEAT, "mood": "good"})
    assert answer.status == 200


@pytest.mark.parametrize(
    ("verb", "message"),
    [
        ("heartbeat", {"session": 7}),
        ("pull", {"session": 7}),
        ("report", {"session": 7, "reports": []}),
        ("logs", {"session": 7, "lines": []}),
        ("leave", {"session": 7}),
    ],
)
async def test_a_process_that_was_replaced_is_told_so(master: Master, verb: str, message: object) -> None:
    answer = await master.node_call(verb, message)
    assert (answer.status, answer.error["code"]) == (409, "stale_session")


async def test_work_is_pulled_with_its_task(master: Master) -> None:
    task_id = await master.assigned()
    answer = (await master.node_call("pull", {"session": 1, "wait": 0})).json
    (assignment,) = answer["assignments"]
    assert assignment["task"]["id"] == task_id
    assert assignment["execution"]["node_id"] == "worker-001"


async def test_a_pull_that_waits_ends_when_the_master_stops(master: Master) -> None:
    await master.node_call("pull", {"session": 1, "wait": 0})
    waiting = asyncio.create_task(master.node_call("pull", {"session": 1, "wait": 60}))
    await asyncio.sleep(0)
    master.app.state.services.closing.set()
    assert (await waiting).json == {"assignments": [], "stop": [], "gone": [], "status": "online"}


async def test_a_report_is_counted(master: Master) -> None:
    task_id = await master.assigned()
    (execution,) = await master.context.store.running_executions([task_id])
    result = {"success": True, "metrics": {"pages_crawled": 15, "known_links_kept": 500}}
    report = {
        "execution_id": execution.id,
        "fence": execution.fence,
        "outcome": "completed",
        "result": result,
    }
    for told in ({**report, "fence": 99}, report, report):
        await master.node_call("report", {"session": 1, "reports": [told]})
    metrics = (await master.client().get("/metrics")).body.decode()
    assert "crawlmesh_crawl_pages_total 15.0" in metrics
    assert "crawlmesh_known_links_kept_total 500.0" in metrics


async def test_the_crawl_store_is_reached_through_the_master(master: Master) -> None:
    calls = [
        make_call(1, "create_crawl", (crawl("task-1"),)),
        make_call(2, "lease", (lease_request("task-1", node_id="worker-001/1"),)),
        make_call(3, "lease", (lease_request("task-1", node_id="somebody-else"),)),
    ]
    body = ENCODER.encode(CallRequest("client", 1, calls))
    answer = await master.node_client.request(
        "POST", f"{NODE}:crawl-store", body=body, headers={"X-Node-Session": "1"}
    )
    assert (answer.status, answer.headers["content-type"]) == (200, "application/msgpack")
    created, leased, foreign = ANSWERS_DECODER.decode(answer.body)
    assert result_of("create_crawl", created) is True
    assert not leased.error
    assert foreign.error == "ForbiddenError"
    stale = await master.node_client.request(
        "POST", f"{NODE}:crawl-store", body=body, headers={"X-Node-Session": "9"}
    )
    assert (stale.status, stale.error["code"]) == (409, "stale_session")
    broken = await master.node_client.request("POST", f"{NODE}:crawl-store", body=b"\xc1")
    assert (broken.status, broken.error["code"]) == (422, "invalid")


async def test_a_rotated_token_replaces_the_old_one(master: Master) -> None:
    answer = await master.client().post(f"{NODE}:rotate-token")
    assert list(answer.json) == ["node_id", "token"]
    assert (await master.node_call("heartbeat", {})).status == 401
    renewed = await Client(master.app, answer.json["token"]).post(f"{NODE}:heartbeat", {})
    assert renewed.status == 200


async def test_nodes_are_listed_filtered_and_paged(master: Master) -> None:
    for number in range(3):
        await master.client("node").post("/api/v1/nodes:register", {"name": f"n{number}", "region": "eu"})
    page = (await master.client().get("/api/v1/nodes", region="eu", limit=2)).json
    rest = (await master.client().get("/api/v1/nodes", region="eu", limit=2, cursor=page["next_cursor"])).json
    assert (len(page["items"]), len(rest["items"]), rest["next_cursor"]) == (2, 1, None)
    none = (await master.client().get("/api/v1/nodes", status="draining", health="healthy")).json
    assert none == {"items": [], "next_cursor": None}


async def test_nodes_are_drained_maintained_resumed_and_removed(master: Master) -> None:
    await master.assigned()
    for verb, status in (("maintenance", "maintenance"), ("resume", "online"), ("drain", "draining")):
        answer = await master.client("operator").post(f"{NODE}:{verb}")
        assert (answer.status, answer.json["status"]) == (200, status)
    assert (await master.client().request("DELETE", NODE)).status == 204
    gone = await master.client().get(NODE)
    assert (gone.status, gone.error["code"]) == (404, "not_found")


async def test_a_node_leaves(master: Master) -> None:
    assert (await master.node_call("leave", None)).status == 204
    assert (await master.client().get(NODE)).json["status"] == "offline"


async def test_executions_of_a_node_come_newest_first(master: Master) -> None:
    tasks = [await master.assigned() for _ in range(3)]
    page = (await master.client().get(f"{NODE}/executions", limit=2)).json
    rest = (await master.client().get(f"{NODE}/executions", limit=2, cursor=page["next_cursor"])).json
    assert [each["task_id"] for each in page["items"] + rest["items"]] == tasks[::-1]
    stats = (await master.client().get(f"{NODE}/stats")).json
    assert (stats["node_id"], stats["running"], stats["slots"]) == ("worker-001", 3, 4)
