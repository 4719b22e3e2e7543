from typing import Any

import msgspec
import pytest

from crawlmesh.errors import StoreError
from tests.unit.api.master import Master


async def test_an_unknown_path_has_the_one_shape(master: Master) -> None:
    answer = await master.client(None).get("/no/such/path")
    assert (answer.status, answer.error["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/v1/tasks", "GET, POST"),
        ("DELETE", "/api/v1/tasks/task-1", "GET, PATCH"),
        ("PATCH", "/api/v1/tasks/stats", "GET"),
        ("GET", "/api/v1/tasks/task-1:cancel", "POST"),
        ("GET", "/api/v1/nodes:register", "POST"),
        ("POST", "/health", "GET"),
    ],
)
async def test_a_method_that_is_not_possible_says_which_are(
    master: Master, method: str, path: str, allowed: str
) -> None:
    answer = await master.client().request(method, path)
    assert (answer.status, answer.error["code"]) == (405, "method_not_allowed")
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize(
    ("body", "field", "words"),
    [
        ({"priority": 11}, "priority", ["11", "10"]),
        ({"priority": "high"}, "priority", ['"high"', "int"]),
        ({"priorty": 5}, "priorty", ["Did you mean priority?"]),
        ({"unheard_of": 5}, "unheard_of", ["Known fields", "task_type"]),
        ({"min_resources": {"cpu_cores": "two"}}, "min_resources", ["float"]),
        ({"categories": ["a", 5]}, "categories.1", ["5", "str"]),
        ({"timeout": 0}, "timeout", ["0"]),
        ({"schedule_strategy": "best"}, "schedule_strategy", ["best", "least_loaded"]),
        ({"task_type": "web_crawl", "parameters": {}}, "parameters.url", ["url"]),
        ([], None, ["object"]),
    ],
)
async def test_a_wrong_field_is_named_with_its_value(
    master: Master, body: Any, field: str | None, words: list[str]
) -> None:
    answer = await master.client().post("/api/v1/tasks", body)
    assert (answer.status, answer.error["code"]) == (422, "invalid")
    assert answer.error.get("field") == field
    for word in words:
        assert word in answer.error["message"]


async def test_a_wrong_field_of_one_of_many_tasks_is_named_with_its_place(master: Master) -> None:
    tasks = [{"task_type": "noop"}, {"task_type": "noop", "priority": 0}]
    answer = await master.client().post("/api/v1/tasks:batch", {"tasks": tasks})
    assert answer.error["field"] == "tasks.1.priority"


@pytest.mark.parametrize("body", [b"{", b"\xff\xfe", b'{"a":"\\ud800"}', b"[" * 100_000, b""])
async def test_a_body_that_is_not_json_is_refused(master: Master, body: bytes) -> None:
    answer = await master.client().request("POST", "/api/v1/tasks", body=body)
    assert (answer.status, answer.error["code"]) == (422, "invalid")


async def test_the_character_nul_is_refused_wherever_it_comes(master: Master) -> None:
    client = master.client()
    inside = await client.post("/api/v1/tasks", {"task_type": "noop", "parameters": {"a": ["\x00"]}})
    as_key = await client.post("/api/v1/tasks", {"task_type": "noop", "parameters": {"\x00": 1}})
    written = await client.post("/api/v1/tasks", {"task_type": "noop", "parameters": {"a": "\\u0000"}})
    in_query = await client.get("/api/v1/tasks", search="\x00")
    in_path = await client.get("/api/v1/tasks/\x00")
    assert [inside.status, as_key.status, written.status] == [422, 422, 201]
    assert [in_query.error["code"], in_path.error["code"]] == ["invalid", "invalid"]


@pytest.mark.parametrize(
    ("path", "query", "field"),
    [
        ("/api/v1/tasks", {"limit": 0}, "limit"),
        ("/api/v1/tasks", {"limit": "many"}, "limit"),
        ("/api/v1/tasks", {"status": "lost"}, "status"),
        ("/api/v1/tasks", {"sort": "size"}, "sort"),
        ("/api/v1/tasks", {"created_after": "yesterday"}, "created_after"),
        ("/api/v1/events", {"types": "task.lost"}, "types"),
        ("/api/distribution/tasks/pull", {}, "device_id"),
    ],
)
async def test_a_wrong_parameter_is_named(
    master: Master, path: str, query: dict[str, Any], field: str
) -> None:
    answer = await master.client().get(path, **query)
    assert (answer.status, answer.error["field"]) == (422, field)


async def test_a_body_above_the_limit_is_refused_before_it_is_read() -> None:
    master = await Master.start(body_bytes=100)
    body = msgspec.json.encode({"task_type": "noop", "parameters": {"text": "x" * 200}})
    declared = await master.client().request("POST", "/api/v1/tasks", body=body)
    undeclared = await master.client().request(
        "POST", "/api/v1/tasks", body=body, headers={"Content-Length": "0"}
    )
    for answer in (declared, undeclared):
        assert (answer.status, answer.error["code"]) == (413, "too_large")


async def test_an_unexpected_fault_tells_the_client_nothing_but_the_request_id(
    master: Master, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def break_down(*_: object) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr(master.context.store, "count_tasks", break_down)
    answer = await master.client().get("/api/v1/tasks/stats")
    assert (answer.status, answer.error["code"]) == (500, "internal")
    assert b"secret" not in answer.body
    (record,) = [record for record in caplog.records if record.exc_info]
    assert record.fields["request_id"] == answer.error["request_id"]  # type: ignore[attr-defined]


async def test_a_store_that_cannot_serve_is_a_503(master: Master, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object) -> None:
        raise StoreError("The database cannot be reached.")

    monkeypatch.setattr(master.context.store, "count_tasks", away)
    answer = await master.client().get("/api/v1/tasks/stats")
    assert (answer.status, answer.error["code"]) == (503, "unavailable")


@pytest.mark.parametrize(("given", "kept"), [("abc-123", True), ("a\tb", False), ("x" * 101, False)])
async def test_a_request_keeps_a_good_id_of_its_own(master: Master, given: str, kept: bool) -> None:
    answer = await master.client().request("GET", "/health", headers={"X-Request-ID": given})
    assert (answer.headers["x-request-id"] == given) is kept


@pytest.mark.parametrize(
    ("name", "words"),
    [("two\nlines", "one line without control characters"), ("", "length >= 1")],
)
async def test_what_is_wrong_with_a_name_is_said_in_words(master: Master, name: str, words: str) -> None:
    answer = await master.client().post("/api/v1/clusters", {"name": name})
    assert (answer.status, answer.error["field"]) == (422, "name")
    assert words in answer.error["message"]


async def test_a_whole_number_may_be_written_as_a_fraction(master: Master) -> None:
    task_id = await master.submit()
    path = f"/api/v1/tasks/{task_id}"
    answer = await master.client().request("PATCH", path, body=b'{"priority": 7.0}')
    assert (answer.status, answer.json["priority"]) == (200, 7)
    answer = await master.client().request("PATCH", path, body=b'{"priority": 7.5}')
    assert (answer.status, answer.error["field"]) == (422, "priority")
