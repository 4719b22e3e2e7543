import base64
import re
from typing import Any

import pytest

from tests.unit.api.client import Answer, Client
from tests.unit.api.master import Master

VIEWER = {"viewer", "operator", "admin"}
OPERATOR = {"operator", "admin"}
ADMIN = {"admin"}
JOIN = {"node", "admin"}
KEYS = {*VIEWER, "node"}
ALL = {*KEYS, "nobody", "wrong", "token"}
DEVICE = {"token", "operator", "admin"}
TOKEN = {"token"}
DESCRIPTIONS = ("/docs", "/openapi.json", "/docs/start.js", "/docs/assets/swagger-ui.css")
QUERIES = {
    "pull_tasks": {"device_id": "worker-001"},
    "stream_events": {"follow": "false"},
    "stream_live": {"follow": "false"},
}
EVERYBODY = ("nobody", "wrong", "token", "viewer", "operator", "admin", "node")

# Who is let in, by operation. `token` is that of the node in the path.
ALLOWED: dict[str, set[str]] = {
    "get_metrics": VIEWER,
    "create_task": OPERATOR,
    "create_tasks": OPERATOR,
    "list_tasks": VIEWER,
    "get_task_stats": VIEWER,
    "get_task": VIEWER,
    "update_task": OPERATOR,
    **{
        f"{verb}_task{many}": OPERATOR
        for verb in ("cancel", "pause", "resume", "retry")
        for many in ("", "s")
    },
    **dict.fromkeys(("retry_failed_urls", "prioritize_tasks", "preview_page"), OPERATOR),
    **dict.fromkeys(("list_task_failures", "export_task_records"), VIEWER),
    **dict.fromkeys(("list_task_executions", "list_task_records", "list_task_logs"), VIEWER),
    **dict.fromkeys(("get_task_progress", "list_task_hosts", "why", "explain_task", "get_execution"), VIEWER),
    **dict.fromkeys(("list_nodes", "get_node", "list_node_heartbeats", "list_node_executions"), VIEWER),
    "get_node_stats": VIEWER,
    **dict.fromkeys(("drain_node", "maintenance_node", "resume_node"), OPERATOR),
    "remove_node": ADMIN,
    "register_node": JOIN,
    **dict.fromkeys(("send_heartbeat", "pull_work", "report_executions", "send_logs", "leave"), TOKEN),
    "call_crawl_store": TOKEN,
    "rotate_token": ADMIN,
    **dict.fromkeys(("list_clusters", "get_cluster"), VIEWER),
    **dict.fromkeys(("create_cluster", "update_cluster", "delete_cluster"), ADMIN),
    **dict.fromkeys(("list_hosts", "get_host"), VIEWER),
    **dict.fromkeys(("limit_host", "free_host"), OPERATOR),
    **dict.fromkeys(("list_events", "stream_events"), VIEWER),
    **dict.fromkeys(("list_keys", "create_key", "delete_key"), ADMIN),
    "whoami": KEYS,
    **dict.fromkeys(("sign_in", "get_session", "sign_out", "get_health"), ALL),
    **dict.fromkeys(("get_overview", "get_attention", "stream_live"), VIEWER),
    **dict.fromkeys(("get_cluster_series", "get_task_series", "get_node_series"), VIEWER),
    "register_device": JOIN,
    "list_devices": VIEWER,
    **dict.fromkeys(("set_device_status", "send_device_heartbeat", "pull_tasks"), DEVICE),
    "get_device_stats": VIEWER,
    "create_distribution_task": OPERATOR,
    **dict.fromkeys(("list_distribution_tasks", "get_distribution_task_stats"), VIEWER),
    "assign_task": OPERATOR,
    "set_task_status": DEVICE,
    "get_distribution_overview": VIEWER,
}


def _operations(document: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {
        operation["operationId"]: (method.upper(), path)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
    }


def test_the_matrix_has_every_operation(document: dict[str, Any]) -> None:
    assert ALLOWED.keys() == _operations(document).keys()


@pytest.mark.parametrize("operation_id", sorted(ALLOWED))
async def test_only_who_may_is_let_in(master: Master, document: dict[str, Any], operation_id: str) -> None:
    method, path = _operations(document)[operation_id]
    task_id = await master.assigned()
    filled = path.replace("{task_id}", task_id).replace("{device_id}", "worker-001")
    filled = filled.replace("{node_id}", master.node.node_id)
    filled = re.sub(r"\{\w+\}", "unknown", filled)
    query = QUERIES.get(operation_id, {})
    allowed = ALLOWED[operation_id]
    for who in sorted(EVERYBODY, key=lambda who: who in allowed):  # those who change something come last
        answer = await _client(master, who).request(method, filled, query=query)
        refused = answer.status in (401, 403)
        assert refused is (who not in allowed), (who, answer)
        if who in ("nobody", "wrong") and refused:
            assert (answer.status, answer.error["code"]) == (401, "unauthenticated")
            assert answer.headers["www-authenticate"].startswith("Bearer")
        elif refused and who != "token" and allowed != TOKEN:
            assert (answer.status, answer.error["code"]) == (403, "forbidden")


def _client(master: Master, who: str) -> Client:
    if who == "nobody":
        return master.client(None)
    if who == "wrong":
        return Client(master.app, "cm_" + "0" * 43)
    return master.node_client if who == "token" else master.client(who)


async def test_the_token_of_another_node_opens_nothing(master: Master) -> None:
    other = await master.client("node").post("/api/v1/nodes:register", {"name": "other"})
    client = Client(master.app, other.json["token"])
    answer = await client.post(f"/api/v1/nodes/{master.node.node_id}:heartbeat", {})
    unknown = await client.post("/api/v1/nodes/node-0:heartbeat", {})
    assert (answer.status, unknown.status) == (401, 401)
    assert answer.error["message"] == unknown.error["message"].replace("node-0", master.node.node_id)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer \xe4", "bearer  "])
async def test_a_header_that_is_no_key_is_refused(master: Master, header: str) -> None:
    answer = await master.client(None).request("GET", "/api/v1/tasks", headers={"Authorization": header})
    assert (answer.status, answer.error["code"]) == (401, "unauthenticated")


async def test_health_needs_no_key(master: Master) -> None:
    assert (await master.client(None).get("/health")).status == 200


@pytest.mark.parametrize(
    ("headers", "asks"),
    [
        ({}, True),
        ({"Accept": "*/*"}, True),
        ({"Accept": "text/html,application/xhtml+xml", "Sec-Fetch-Mode": "navigate"}, True),
        ({"Accept": "application/json"}, False),
        ({"Accept": "text/event-stream"}, False),
        ({"Accept": "*/*", "Sec-Fetch-Mode": "cors"}, False),
        ({"Cookie": "crawlmesh_session=over"}, False),
    ],
)
async def test_browsers_ask_for_a_key_when_a_page_is_opened_but_not_for_its_scripts(
    master: Master, headers: dict[str, str], asks: bool
) -> None:
    answer = await master.client(None).request("GET", "/api/v1/tasks", headers=headers)
    assert answer.status == 401
    assert ("Basic" in answer.headers["www-authenticate"]) is asks
    assert "Bearer" in answer.headers["www-authenticate"]


@pytest.mark.parametrize("path", DESCRIPTIONS)
async def test_the_descriptions_need_a_key_of_any_role(master: Master, path: str) -> None:
    for who in ("nobody", "wrong", "token"):
        answer = await _client(master, who).get(path)
        assert (answer.status, answer.error["code"]) == (401, "unauthenticated")
        assert answer.headers["www-authenticate"] == (
            'Bearer realm="crawlmesh", Basic realm="crawlmesh", charset="UTF-8"'
        )
    for role in ("viewer", "operator", "admin", "node"):
        assert (await master.client(role).get(path)).status == 200
        assert (await _signed_in(master, role, "GET", path)).status == 200


async def test_who_signed_in_uses_the_interfaces_too(master: Master) -> None:
    own_page = {"Origin": "http://master", "Sec-Fetch-Site": "same-origin"}
    cancel = f"/api/v1/tasks/{await master.submit()}:cancel"
    assert (await _signed_in(master, "viewer", "GET", "/api/v1/tasks")).status == 200
    assert (await _signed_in(master, "viewer", "POST", cancel, own_page)).status == 403
    other_page = await _signed_in(master, "admin", "POST", cancel, {"Origin": "https://other.example"})
    assert (other_page.status, other_page.error["code"]) == (403, "forbidden")
    assert (await _signed_in(master, "admin", "POST", cancel, own_page)).status == 200


async def _signed_in(
    master: Master, role: str, method: str, path: str, headers: dict[str, str] | None = None
) -> Answer:
    password = base64.b64encode(f"somebody:{master.keys[role]}".encode()).decode()
    sent = {"Authorization": f"Basic {password}", **(headers or {})}
    return await master.client(None).request(method, path, headers=sent)


async def test_a_key_that_was_deleted_opens_nothing(master: Master) -> None:
    made = await master.client().post("/api/v1/keys", {"name": "short", "role": "viewer"})
    client = Client(master.app, made.json["key"])
    assert (await client.get("/api/v1/whoami")).json["name"] == "short"
    gone = await master.client().request("DELETE", f"/api/v1/keys/{made.json['id']}")
    assert (gone.status, gone.body) == (204, b"")
    assert (await client.get("/api/v1/whoami")).status == 401
