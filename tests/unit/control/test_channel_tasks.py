import json
from typing import Any

import pytest

from crawlmesh.control.channel_tasks import task_in
from crawlmesh.errors import InvalidError
from crawlmesh.protocol.task_messages import NewTask


def _task(message: Any) -> NewTask:
    return task_in(json.dumps(message).encode())


def test_an_address_alone_is_a_crawl_of_that_page() -> None:
    assert _task({"url": "https://a.example/"}) == _same(
        NewTask(parameters={"depth": 0, "url": "https://a.example/"})
    )


def test_beside_the_address_stand_fields_of_tasks_and_of_crawls() -> None:
    task = _task({"url": "https://a.example/", "priority": 9, "depth": 3, "max_retries": 7, "max_pages": 10})
    assert (task.priority, task.max_retries) == (9, 7)
    assert task.parameters == {"url": "https://a.example/", "depth": 3, "max_pages": 10}


def test_what_only_the_publishers_programs_understand_is_passed_over() -> None:
    own = {"callback": "parse_item", "meta": {"a": 1}, "metadata": {}, "task_id": "7", "retry_count": 0}
    task = _task({"url": "https://a.example/", "priority": 0, "created_at": "2026-01-01", **own})
    assert task == _task({"url": "https://a.example/"})
    assert _task({"url": "https://a.example/", "metadata": True}).parameters["metadata"] is True


def test_a_whole_task_is_taken_as_the_api_takes_it() -> None:
    task = _task({"task_type": "noop", "parameters": {"value": 1}, "project_id": "p", "deduplicate": True})
    assert task == _same(NewTask(task_type="noop", parameters={"value": 1}, project_id="p", deduplicate=True))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{nope", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"", "not JSON"),
        (b"[1]", "JSON list"),
        (b'{"url": "https://a.example/", "colour": 1}', "colour"),
        (b'{"url": "https://a.example/", "parameters": {}}', "stands beside"),
        (b'{"url": "https://a.example/", "task_type": "noop"}', "task_type"),
        (b'{"url": "https://a.example/", "priority": "high"}', "priority"),
        (b'{"parameters": {"value": "a\\u0000b"}}', "NUL"),
        (b'{"task_typ": "noop"}', "task_typ"),
    ],
)
def test_what_is_no_task_is_refused_with_a_reason(body: bytes, reason: str) -> None:
    with pytest.raises(InvalidError, match=reason):
        task_in(body)


def _same(task: NewTask) -> NewTask:
    """As the type that messages are read into."""
    kind = type(_task({"url": "x"}))
    return kind(**{name: getattr(task, name) for name in task.__struct_fields__})
