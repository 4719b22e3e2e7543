"""What the description says of bodies; that the server agrees is found out by schemathesis."""

from typing import Any

import jsonschema_rs
import pytest

from crawlmesh.api.request_schemas import without_nul
from crawlmesh.protocol.texts import NO_NUL

Document = dict[str, Any]
URL = "https://example.com/"


def fits(document: Document, schema: str, body: Any) -> bool:
    whole = {"$ref": f"#/components/schemas/{schema}", "components": document["components"]}
    validator: Any = jsonschema_rs.validator_for(whole)
    return bool(validator.is_valid(body))


@pytest.mark.parametrize(
    "body",
    [
        {"parameters": {"url": URL}},
        {"task_type": "web_crawl", "parameters": {"urls": [URL], "depth": 2, "delay": 0.5, "url": None}},
        {"parameters": {"url": URL, "selectors": {"title": "h1", "tags": {"selector": "a", "all": True}}}},
        {"parameters": {"url": URL, "selectors": {"p": {"selector": "div", "fields": {"name": "h2"}}}}},
        {"parameters": {"url": URL, "selectors": {"selectors": {"title": "h1"}, "metadata": True}}},
        {"parameters": {"url": URL, "headers": {"X-Own": "1"}, "user_agent": "mybot/1.0"}},
        {"parameters": {"url": URL, "headers": ["X-Own: 1"]}},
        {"task_type": "noop"},
        {
            "task_type": "own",
            "parameters": {"anything": [{"deep": None}]},
            "schedule_strategy": "least_loaded",
        },
    ],
)
def test_tasks_that_are_taken_fit(document: Document, body: Any) -> None:
    assert fits(document, "TaskRequest", body)
    assert fits(document, "TasksRequest", {"tasks": [body]})
    assert fits(document, "DistributionTask", body)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"parameters": {}},
        {"parameters": {"url": URL, "urls": [URL]}},
        {"parameters": {"urls": []}},
        {"parameters": {"url": URL, "nonsense": 1}},
        {"parameters": {"url": URL, "archive": True}},
        {"parameters": {"url": URL, "depth": -1}},
        {"parameters": {"url": URL, "headers": {"hOST": "a"}}},
        {"parameters": {"url": URL, "headers": [" Host : a"]}},
        {"parameters": {"url": URL, "headers": {"X-Own": "a\nb"}}},
        {"parameters": {"url": URL, "user_agent": " "}},
        {"parameters": {"url": URL, "selectors": {"selectors": {}}}},
        {
            "parameters": {
                "url": URL,
                "selectors": {"p": {"selector": "div", "fields": {"a": "b"}, "type": "url"}},
            }
        },
        {"task_type": "noop", "schedule_strategy": "nonsense"},
        {"task_type": "noop", "parameters": {"deep": [{"text": "a\x00b"}]}},
        {"task_type": "noop", "content_features": {"a": {"b\x00": 1}}},
        {"task_type": "noop", "capabilities": {"a": "\x00"}},
    ],
)
def test_tasks_that_are_refused_do_not(document: Document, body: Any) -> None:
    assert not fits(document, "TaskRequest", body)
    assert not fits(document, "DistributionTask", body)


def test_the_start_of_a_crawl_may_stand_beside_its_parameters(document: Document) -> None:
    assert fits(document, "DistributionTask", {"url": URL, "parameters": {"depth": 1}, "colour": "red"})
    assert not fits(document, "DistributionTask", {"url": URL, "parameters": {"urls": [URL]}})
    assert not fits(document, "TaskRequest", {"url": URL})


def test_what_nobody_knows_may_stand_in_what_nodes_say_but_no_nul(document: Document) -> None:
    assert fits(document, "HeartbeatMessage", {"later": {"a": [1]}})
    assert not fits(document, "HeartbeatMessage", {"later": {"a": ["\x00"]}})


def test_what_is_said_already_stays() -> None:
    schema = {"type": "string", "pattern": "^a$"}
    assert without_nul(schema) == schema
    assert without_nul({"type": "string"}) == {"type": "string", "pattern": NO_NUL}
    assert without_nul({"default": 1}) == {"default": 1, "$ref": "#/components/schemas/Json"}


def test_no_parameter_of_an_address_is_null(document: Document) -> None:
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", ()):
                assert {"type": "null"} not in parameter["schema"].get("anyOf", ())
