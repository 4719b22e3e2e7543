"""The options of `crawlmesh task submit` as tasks."""

from pathlib import Path
from typing import Any

import msgspec

from crawlmesh.cli.addresses import with_scheme
from crawlmesh.cli.extraction_options import extraction_from
from crawlmesh.errors import UsageError
from crawlmesh.protocol.task_messages import NewTask

_CRAWL_OPTIONS = ("depth", "max_pages", "scope", "allow_hosts", "include", "exclude", "per_host", "delay")
_CRAWL_SWITCHES = ("ignore_robots", "sitemaps")
_TASK_OPTIONS = (
    "priority", "schedule_strategy", "target_region", "node_type", "project_id", "categories",
    "max_retries", "max_nodes", "timeout",
)  # fmt: skip


def new_tasks(options: dict[str, Any]) -> list[NewTask]:
    """The tasks that the options describe."""
    task_file: Path | None = options["task_file"]
    if task_file is not None:
        if options["urls"]:
            raise UsageError("--file and URLs exclude each other; put the URLs into the file.")
        return [_over(task, options) for task in _read(task_file)]
    if not options["urls"] and not options["params"]:
        raise UsageError("Give a URL, --params with the parameters of a task, or --file.")
    base = _crawl_parameters(options) | _object(options["params"], "--params")
    urls = [with_scheme(url) for url in options["urls"]]
    if options["each"]:
        return [_over(NewTask(parameters={"url": url, **base}), options) for url in urls]
    start: dict[str, Any] = {"url": urls[0]} if len(urls) == 1 else {"urls": urls} if urls else {}
    return [_over(NewTask(parameters={**start, **base}), options)]


def _over(task: NewTask, options: dict[str, Any]) -> NewTask:
    """The task with what the options say about it."""
    changes = {name: options[name] for name in _TASK_OPTIONS if options[name] not in (None, ())}
    if options["task_type"]:
        changes["task_type"] = options["task_type"]
    if options["capabilities"]:
        changes["capabilities"] = _object(options["capabilities"], "--capabilities")
    if options["deduplicate"]:
        changes["deduplicate"] = True
    return msgspec.structs.replace(task, **changes)


def _crawl_parameters(options: dict[str, Any]) -> dict[str, Any]:
    parameters = {name: options[name] for name in _CRAWL_OPTIONS if options[name] not in (None, ())}
    parameters |= {name: True for name in _CRAWL_SWITCHES if options[name]}
    extraction, metadata = extraction_from(options["selections"], options["spec_file"], options["metadata"])
    if extraction is not None:
        fields = extraction["selectors"]
        # A field of that name would be taken for the whole.
        parameters["selectors"] = extraction if isinstance(fields.get("selectors"), dict) else fields
    if metadata:
        parameters["metadata"] = True
    return parameters


def _object(text: str | None, option: str) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise UsageError(f"The value of {option} is not a JSON object: {error}.") from error


def _read(path: Path) -> list[NewTask]:
    try:
        text = path.read_bytes()
        found = msgspec.json.decode(text)
        listed = found["tasks"] if isinstance(found, dict) and "tasks" in found else found
        tasks = msgspec.convert(listed if isinstance(listed, list) else [listed], type=list[NewTask])
    except OSError as error:
        raise UsageError(f"The file {path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise UsageError(f"The file {path} does not hold a task, or a list of tasks: {error}.") from error
    if not tasks:
        raise UsageError(f"The file {path} holds no task.")
    return tasks
