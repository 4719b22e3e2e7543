from pathlib import Path

import pytest

from crawlmesh.cli.task.new_tasks import new_tasks
from crawlmesh.cli.task.submit import submit
from crawlmesh.errors import UsageError
from crawlmesh.protocol.task_messages import NewTask


def _tasks(*arguments: str) -> list[NewTask]:
    # Click keeps the help option that a command is first asked for, and the reference page shows it.
    context = submit.make_context("submit", list(arguments), help_option_names=["-h", "--help"])
    return new_tasks(context.params)


def test_a_url_is_a_crawl() -> None:
    assert _tasks("example.com/shop") == [NewTask(parameters={"url": "https://example.com/shop"})]


def test_several_urls_are_one_crawl_unless_each_shall_be_its_own() -> None:
    assert _tasks("http://a/", "http://b/") == [NewTask(parameters={"urls": ["http://a/", "http://b/"]})]
    each = _tasks("http://a/", "http://b/", "--each")
    assert [task.parameters for task in each] == [{"url": "http://a/"}, {"url": "http://b/"}]


def test_options_become_parameters_and_fields() -> None:
    (task,) = _tasks(
        *("http://a/", "--depth", "0", "--allow-host", "b", "--ignore-robots", "--select", "t=h1"),
        *("--priority", "9", "--category", "shop", "--max-retries", "0", "--region", "us", "--deduplicate"),
    )
    selectors = task.parameters.pop("selectors")
    assert task.parameters == {"url": "http://a/", "depth": 0, "allow_hosts": ("b",), "ignore_robots": True}
    assert selectors == {"t": "h1"}
    assert (task.priority, task.categories, task.max_retries) == (9, ("shop",), 0)
    assert (task.target_region, task.deduplicate) == ("us", True)


def test_other_types_take_their_parameters_as_json() -> None:
    (task,) = _tasks("--type", "noop", "--params", '{"n": 1}', "--capabilities", '{"gpu": 1}')
    assert (task.task_type, task.parameters, task.capabilities) == ("noop", {"n": 1}, {"gpu": 1})


def test_a_file_holds_one_task_or_many(tmp_path: Path) -> None:
    path = tmp_path / "tasks.json"
    path.write_text('{"task_type": "noop", "priority": 3}')
    assert _tasks("--file", str(path)) == [NewTask(task_type="noop", priority=3)]
    path.write_text('{"tasks": [{"task_type": "a"}, {"task_type": "b"}]}')
    assert [task.priority for task in _tasks("--file", str(path), "--priority", "8")] == [8, 8]


@pytest.mark.parametrize(
    ("content", "words"),
    [("{", "does not hold a task"), ("[]", "holds no task"), ('{"priority": "high"}', "priority")],
)
def test_a_file_that_is_no_task_is_refused(tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "tasks.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=words):
        _tasks("--file", str(path))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Give a URL"),
        (["--params", "[1]"], "--params is not a JSON object"),
        (["http://a/", "--file", "x.json"], "exclude each other"),
        (["--file", "none.json"], r"none\.json cannot be read"),
        (["http://a/", "--capabilities", "gpu"], "--capabilities"),
    ],
)
def test_bad_options(arguments: list[str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        _tasks(*arguments)
