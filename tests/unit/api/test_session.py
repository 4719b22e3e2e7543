from typing import Any

import pytest

from tests.unit.api.client import Answer, Client
from tests.unit.api.master import Master

HERE = {"Origin": "http://master", "Sec-Fetch-Site": "same-origin"}
ELSEWHERE = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}


async def signed_in(master: Master, role: str = "admin", **headers: str) -> Answer:
    return await master.client(None).post(
        "/api/v1/session", {"key": master.keys[role]}, **{**HERE, **headers}
    )


def cookie_of(answer: Answer) -> dict[str, str]:
    return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


async def with_cookie(master: Master, answer: Answer, method: str, path: str, **more: Any) -> Answer:
    headers = {**cookie_of(answer), **HERE, **more.pop("headers", {})}
    return await Client(master.app).request(method, path, headers=headers, **more)


@pytest.mark.parametrize("role", ["viewer", "operator", "admin"])
async def test_signing_in_sets_a_cookie_that_stands_for_the_key(master: Master, role: str) -> None:
    answer = await signed_in(master, role)
    assert answer.status == 200
    assert (answer.json["name"], answer.json["role"]) == (role, role)
    assert answer.json["key_id"].startswith("key-")
    assert answer.json["expires_at"] == "2023-06-22T10:30:45Z"
    assert master.keys[role] not in answer.headers["set-cookie"]
    for path in ("/api/v1/session", "/api/v1/whoami", "/api/v1/tasks", "/docs", "/openapi.json", "/metrics"):
        assert (await with_cookie(master, answer, "GET", path)).status == 200, path
    session = await with_cookie(master, answer, "GET", "/api/v1/session")
    assert session.json == answer.json
    whoami = await with_cookie(master, answer, "GET", "/api/v1/whoami")
    assert (whoami.json["id"], whoami.json["role"]) == (answer.json["key_id"], role)


@pytest.mark.parametrize(
    ("origin", "secure"),
    [("http://master", False), ("https://master", True), ("https://proxy.example", True)],
)
async def test_the_cookie_is_kept_from_scripts_and_from_other_sites(
    master: Master, origin: str, secure: bool
) -> None:
    answer = await signed_in(master, Origin=origin)
    name, *attributes = answer.headers["set-cookie"].split("; ")
    assert name.startswith("crawlmesh_session=cms_")
    expected = {"HttpOnly", "SameSite=strict", "Path=/", "Max-Age=604800"}
    assert set(attributes) == (expected | {"Secure"} if secure else expected)


@pytest.mark.parametrize("key", ["cm_wrong", "ä", "😀", " "])
async def test_a_wrong_key_opens_no_session(master: Master, key: str) -> None:
    answer = await master.client(None).post("/api/v1/session", {"key": key}, **HERE)
    assert (answer.status, answer.error["code"]) == (401, "unauthenticated")
    assert "set-cookie" not in answer.headers
    assert (
        "Basic"
        not in (
            await master.client(None).post("/api/v1/session", {"key": key}, Accept="application/json")
        ).headers["www-authenticate"]
    )


async def test_a_join_token_opens_no_session(master: Master) -> None:
    answer = await signed_in(master, "node")
    assert (answer.status, answer.error["code"]) == (403, "forbidden")
    assert "join token" in answer.error["message"]


@pytest.mark.parametrize("body", [{}, {"key": ""}, {"key": 1}, {"key": "x" * 1001}, {"key": "a", "more": 1}])
async def test_a_body_that_is_no_key_is_refused(master: Master, body: object) -> None:
    assert (await master.client(None).post("/api/v1/session", body)).status == 422


async def test_pages_of_other_sites_neither_sign_in_nor_out_nor_change_anything(master: Master) -> None:
    answer = await signed_in(master)
    assert (await signed_in(master, **ELSEWHERE)).status == 403
    for method, path in (("DELETE", "/api/v1/session"), ("POST", "/api/v1/keys"), ("POST", "/api/v1/tasks")):
        refused = await with_cookie(master, answer, method, path, headers=ELSEWHERE)
        assert (refused.status, refused.error["code"]) == (403, "forbidden")
    assert (await with_cookie(master, answer, "GET", "/api/v1/session")).status == 200


async def test_who_is_signed_in_changes_things_from_the_own_page(master: Master) -> None:
    viewer, operator = await signed_in(master, "viewer"), await signed_in(master, "operator")
    cancel = f"/api/v1/tasks/{await master.submit()}:cancel"
    assert (await with_cookie(master, viewer, "POST", cancel)).status == 403
    assert (await with_cookie(master, operator, "POST", cancel)).status == 200


async def test_signing_out_ends_the_session_and_takes_the_cookie(master: Master) -> None:
    answer = await signed_in(master)
    out = await with_cookie(master, answer, "DELETE", "/api/v1/session")
    assert (out.status, out.body) == (204, b"")
    assert 'crawlmesh_session=""' in out.headers["set-cookie"]
    assert "Max-Age=0" in out.headers["set-cookie"]
    assert (await with_cookie(master, answer, "GET", "/api/v1/session")).json is None
    assert (await with_cookie(master, answer, "DELETE", "/api/v1/session")).status == 204
    assert (await master.client().get("/api/v1/whoami")).status == 200


async def test_signing_out_with_a_key_leaves_the_key(master: Master) -> None:
    assert (await master.client().request("DELETE", "/api/v1/session")).status == 204
    assert (await master.client().get("/api/v1/whoami")).status == 200


async def test_a_key_tells_of_itself(master: Master) -> None:
    answer = await master.client("viewer").get("/api/v1/session")
    assert (answer.json["role"], answer.json["expires_at"]) == ("viewer", None)
    assert (await master.client(None).get("/api/v1/session")).json is None


async def test_signing_in_again_ends_the_session_before(master: Master) -> None:
    first = await signed_in(master)
    second = await signed_in(master, "viewer", **cookie_of(first))
    assert (await with_cookie(master, first, "GET", "/api/v1/session")).json is None
    assert (await with_cookie(master, second, "GET", "/api/v1/session")).json["role"] == "viewer"


async def test_sessions_are_no_keys_in_the_list(master: Master) -> None:
    before = await master.client().get("/api/v1/keys")
    answer = await signed_in(master)
    after = await with_cookie(master, answer, "GET", "/api/v1/keys")
    assert [key["id"] for key in after.json["items"]] == [key["id"] for key in before.json["items"]]


async def test_nobody_deletes_the_key_they_are_signed_in_with(master: Master) -> None:
    answer = await signed_in(master)
    path = f"/api/v1/keys/{answer.json['key_id']}"
    assert (await with_cookie(master, answer, "DELETE", path)).status == 409


async def test_a_session_ends_with_its_key(master: Master) -> None:
    viewer = await signed_in(master, "viewer")
    await master.client().request("DELETE", f"/api/v1/keys/{viewer.json['key_id']}")
    assert (await with_cookie(master, viewer, "GET", "/api/v1/session")).json is None


async def test_nodes_do_not_speak_with_the_cookie_of_a_browser(master: Master) -> None:
    answer = await signed_in(master)
    path = f"/api/v1/nodes/{master.node.node_id}:heartbeat"
    assert (await with_cookie(master, answer, "POST", path, json={})).status == 401


async def test_the_description_knows_the_cookie(document: dict[str, Any]) -> None:
    scheme = document["components"]["securitySchemes"]["session"]
    assert (scheme["type"], scheme["in"], scheme["name"]) == ("apiKey", "cookie", "crawlmesh_session")
    assert {"session": []} in document["paths"]["/api/v1/tasks"]["get"]["security"]
    assert document["paths"]["/api/v1/session"]["post"]["security"] == []
