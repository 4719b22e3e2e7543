import pytest

from crawlmesh.api.shapes.crawls import host_state_shape
from crawlmesh.model.host import HostLimits, HostState, RobotsFile
from crawlmesh.testing.builders import all_fetched, crawl, lease_request, new_links
from tests.unit.api.master import Master

PATH = "/api/v1/hosts/a.example"


async def _crawled(master: Master) -> None:
    store = master.context.crawl_store
    await store.create_crawl(crawl())
    await store.add(new_links(3) + new_links(2, "b.example:8443"))
    (batch, _) = (await store.lease(lease_request(batch_links=1))).batches
    await store.settle([all_fetched(batch)])


async def test_limits_from_their_laying_down_to_their_end(master: Master) -> None:
    await _crawled(master)
    client = master.client("operator")
    limits = {"delay": 2.5, "slots": 1, "blocked": False}
    answer = await client.request("PUT", f"{PATH}/limits", json=limits)
    assert answer.status == 200
    found = (await client.get(PATH)).json
    assert found == answer.json
    assert list(found) == [
        "host",
        "blocked",
        "delay",
        "slots",
        "limits",
        "state",
        "queued",
        "running",
        "done",
        "dead",
        "mean_elapsed",
        "ready_in",
    ]
    assert (found["limits"], found["delay"], found["slots"]) == (limits, 2.5, 1)
    assert (found["state"]["delay"], found["state"]["slots"]) == (0.0, 4)
    assert (found["queued"], found["done"], found["mean_elapsed"]) == (2, 1, 0.5)
    await client.request("PUT", f"{PATH}/limits", json={"blocked": True})
    assert (await client.get(PATH)).json["limits"] == {"delay": None, "slots": None, "blocked": True}
    assert (await client.request("DELETE", f"{PATH}/limits")).status == 204
    assert (await client.request("DELETE", f"{PATH}/limits")).status == 204
    assert (await client.get(PATH)).json["blocked"] is False


@pytest.mark.parametrize(
    ("files", "robots", "read_at"),
    [
        ({}, "unknown", None),
        ({"https": RobotsFile(0.0, 200, "User-agent: *")}, "rules", "1970-01-01T00:00:00Z"),
        ({"https": RobotsFile(0.0, 404, None)}, "none", "1970-01-01T00:00:00Z"),
        (
            {"https": RobotsFile(9.0, 404, None), "http": RobotsFile(0.0, 200, "")},
            "none",
            "1970-01-01T00:00:09Z",
        ),
    ],
)
def test_what_is_known_of_the_robots_file(
    files: dict[str, RobotsFile], robots: str, read_at: str | None
) -> None:
    shown = host_state_shape(HostState("a.example", robots=files))
    assert (shown.robots_status, shown.robots_at) == (robots, read_at)


async def test_hosts_come_in_pages_and_can_be_searched(master: Master) -> None:
    await _crawled(master)
    client = master.client("viewer")
    first = (await client.get("/api/v1/hosts", limit=1)).json
    assert [host["host"] for host in first["items"]] == ["a.example"]
    second = (await client.get("/api/v1/hosts", limit=1, cursor=first["next_cursor"])).json
    assert ([host["host"] for host in second["items"]], second["next_cursor"]) == (["b.example:8443"], None)
    found = (await client.get("/api/v1/hosts", search="B.ex")).json["items"]
    assert [host["host"] for host in found] == ["b.example:8443"]
    assert (await client.get("/api/v1/hosts/B.example:8443")).json["queued"] == 1


async def test_a_host_may_be_limited_before_it_is_met(master: Master) -> None:
    answer = await master.client().request("PUT", "/api/v1/hosts/new.example/limits", json={"slots": 2})
    assert (answer.status, answer.json["limits"]["slots"]) == (200, 2)
    assert (await master.client().request("DELETE", "/api/v1/hosts/new.example/limits")).status == 204
    assert (await master.client().get("/api/v1/hosts/new.example")).error["code"] == "not_found"


async def test_limits_that_limit_nothing_are_none(master: Master) -> None:
    answer = await master.client().request("PUT", "/api/v1/hosts/new.example/limits", json={})
    assert (answer.status, answer.json["blocked"]) == (200, False)
    assert (await master.client().get("/api/v1/hosts")).json["items"] == []


async def test_who_may_change_limits(master: Master) -> None:
    for role, status in (("viewer", 403), ("node", 403), ("operator", 200), ("admin", 200)):
        answer = await master.client(role).request("PUT", f"{PATH}/limits", json={"slots": 1})
        assert (role, answer.status) == (role, status)
    assert (await master.client("viewer").request("DELETE", f"{PATH}/limits")).status == 403
    assert (await master.client("node").get("/api/v1/hosts")).status == 403
    assert (await master.node_client.request("PUT", f"{PATH}/limits", json={})).status == 401
    assert (await master.client("viewer").get(PATH)).status == 200


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"delay": -1}, "delay"),
        ({"delay": 86_401}, "delay"),
        ({"slots": 0}, "slots"),
        ({"slots": 1.5}, "slots"),
        ({"blocked": "yes"}, "blocked"),
        ({"slot": 1}, "slot"),
    ],
)
async def test_limits_that_cannot_be_are_refused(master: Master, body: object, field: str) -> None:
    answer = await master.client().request("PUT", f"{PATH}/limits", json=body)
    assert (answer.status, answer.error["field"]) == (422, field)
    assert await master.context.crawl_store.host_status("a.example") is None


@pytest.mark.parametrize("host", ["..", "1.2.3.999", "user@a.example", "nobody.example"])
async def test_a_host_that_is_not_there(master: Master, host: str) -> None:
    answer = await master.client().get(f"/api/v1/hosts/{host}")
    assert (answer.status, answer.error["code"]) == (404, "not_found")
    assert host in answer.error["message"]


async def test_a_change_is_an_event(master: Master) -> None:
    await master.client().request("PUT", f"{PATH}/limits", json={"blocked": True})
    events = (await master.client().get("/api/v1/events", types="host.limits_changed")).json["items"]
    data = {"host": "a.example", "delay": None, "slots": None, "blocked": True}
    assert [event["data"] for event in events] == [data]
    status = await master.context.crawl_store.host_status("a.example")
    assert status is not None
    assert status.limits == HostLimits(blocked=True)
