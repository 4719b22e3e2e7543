import pytest

from tests.unit.api.master import Master


async def test_a_cluster_from_its_making_to_its_end(master: Master) -> None:
    client = master.client()
    made = await client.post("/api/v1/clusters", {"name": "us-east", "configuration": {"a": 1}})
    assert made.status == 201
    columns = [
        "id",
        "project_id",
        "name",
        "description",
        "configuration",
        "status",
        "created_at",
        "updated_at",
    ]
    assert list(made.json) == columns
    path = made.headers["location"]
    changed = await client.request("PATCH", path, json={"status": "maintenance"})
    assert (changed.json["status"], changed.json["configuration"]) == ("maintenance", {"a": 1})
    twice = await client.post("/api/v1/clusters", {"name": "us-east"})
    assert (twice.status, twice.error["code"]) == (409, "conflict")
    names = [cluster["name"] for cluster in (await client.get("/api/v1/clusters")).json["items"]]
    assert "us-east" in names
    assert (await client.request("DELETE", path)).status == 204
    assert (await client.get(path)).status == 404


@pytest.mark.parametrize("body", [{}, {"name": ""}, {"name": "a", "status": "gone"}, {"name": "a", "nam": 1}])
async def test_a_cluster_that_cannot_be_is_refused(master: Master, body: object) -> None:
    assert (await master.client().post("/api/v1/clusters", body)).error["code"] == "invalid"


async def test_the_secret_of_a_key_is_told_once(master: Master) -> None:
    made = await master.client().post("/api/v1/keys", {"name": "screen", "role": "viewer"})
    assert made.status == 201
    listed = (await master.client().get("/api/v1/keys")).body
    assert made.json["key"].encode() not in listed
    assert b"hash" not in listed


@pytest.mark.parametrize("expires_at", [1, "2000-01-01T00:00:00Z", "0001-01-01T00:00:00+14:00"])
async def test_a_key_that_would_be_over_is_not_made(master: Master, expires_at: object) -> None:
    body = {"name": "late", "role": "viewer", "expires_at": expires_at}
    answer = await master.client().post("/api/v1/keys", body)
    assert (answer.status, answer.error["field"]) == (409, "expires_at")


@pytest.mark.parametrize("expires_at", [4_102_444_800, "2100-01-01T00:00:00Z"])
async def test_a_key_may_expire(master: Master, expires_at: object) -> None:
    body = {"name": "short", "role": "viewer", "expires_at": expires_at}
    made = await master.client().post("/api/v1/keys", body)
    assert made.json["expires_at"] == "2100-01-01T00:00:00Z"


async def test_nobody_locks_themselves_out(master: Master) -> None:
    own = (await master.client().get("/api/v1/whoami")).json["id"]
    answer = await master.client().request("DELETE", f"/api/v1/keys/{own}")
    assert (answer.status, answer.error["code"]) == (409, "conflict")


@pytest.mark.parametrize("role", ["viewer", "operator", "admin", "node"])
async def test_whoami_tells_name_and_role(master: Master, role: str) -> None:
    told = (await master.client(role).get("/api/v1/whoami")).json
    assert (told["name"], told["role"]) == (role, role)
