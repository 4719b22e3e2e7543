"""Take in new tasks, one or many at once."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.task_checks import check_new_task
from crawlmesh.errors import InvalidError
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.query import Submission
from crawlmesh.model.task import WEB_CRAWL, Task
from crawlmesh.protocol.task_messages import NewTask
from crawlmesh.rules.compatibility import queue_of
from crawlmesh.rules.url_identity import ParameterFilter, canonicalize

_LONGEST_KEY = 255  # characters
_AT_ONCE = 16  # tasks that are looked through without a pause
_SHOWN = 3  # ids in a line of the log
_ALL_PARAMETERS_COUNT = ParameterFilter(())


_log = logging.getLogger("crawlmesh.DEDUP")


class Submitted(msgspec.Struct, frozen=True):
    """The answer to one submission. `duplicate`: it is an earlier task, for the sake of `deduplicate`."""

    task: Task
    duplicate: bool = False


async def submit_tasks(
    context: ControlContext, requests: Sequence[NewTask], idempotency_key: str | None = None
) -> list[Task]:
    """Store new tasks, all or none. Raises InvalidError naming the field that is at fault.

    With an idempotency key, the same call again is answered with the same tasks.
    """
    return [submitted.task for submitted in await submit_recognising(context, requests, idempotency_key)]


async def submit_recognising(
    context: ControlContext, requests: Sequence[NewTask], idempotency_key: str | None = None
) -> list[Submitted]:
    """Do as `submit_tasks`, and tell which ones were recognised."""
    _check_call(context, requests, idempotency_key)
    for index in range(len(requests)):
        _check_one(context, requests[index], index if len(requests) > 1 else None)
        await _let_others_in(index)
    now = context.clock.now()
    submissions: list[Submission] = []
    make = _maker(context, requests, idempotency_key)
    for index, request in enumerate(requests):
        submissions.append(make(index, _new_task(context, request, now)))
        await _let_others_in(index)
    stored = await context.store.submit(submissions, now)
    submitted = [
        Submitted(kept, request.deduplicate and kept.id != submission.task.id)
        for request, submission, kept in zip(requests, submissions, stored, strict=True)
    ]
    _log_recognised(submitted)
    return submitted


async def submit_each(context: ControlContext, requests: Mapping[str, NewTask]) -> list[Task]:
    """Store new tasks that were checked, each under a key of its own: a key that is known gives its task."""
    now = context.clock.now()
    submissions: list[Submission] = []
    for index, (key, request) in enumerate(requests.items()):
        task = _new_task(context, request, now)
        life = context.options.keep_idempotency_keys
        submissions.append(
            Submission(task=task, events=(_created(task),), idempotency_key=key, key_life=life)
        )
        await _let_others_in(index)
    return await context.store.submit(submissions, now)


async def _let_others_in(number: int) -> None:
    """A batch may be large, and a master must answer heartbeats while it looks through it."""
    if number % _AT_ONCE == _AT_ONCE - 1:
        await asyncio.sleep(0)


def _log_recognised(submitted: Sequence[Submitted]) -> None:
    known = [each.task.id for each in submitted if each.duplicate]
    if known:
        _log.info(
            "%d of %d submitted tasks were recognised as %s%s",
            len(known),
            len(submitted),
            ", ".join(known[:_SHOWN]),
            " and others" if len(known) > _SHOWN else "",
        )


def _check_call(context: ControlContext, requests: Sequence[NewTask], key: str | None) -> None:
    most = context.options.most_batch
    if not 1 <= len(requests) <= most:
        raise InvalidError(f"There are {len(requests)} tasks in one call; give 1 to {most}.", "tasks")
    if key is not None and not (1 <= len(key) <= _LONGEST_KEY and key.isprintable()):
        raise InvalidError("An idempotency key has 1 to 255 printable characters.", "Idempotency-Key")


def _check_one(context: ControlContext, request: NewTask, index: int | None) -> None:
    try:
        check_new_task(context, request)
    except InvalidError as error:
        if index is None:
            raise
        field = f"tasks.{index}.{error.field}" if error.field else f"tasks.{index}"
        raise InvalidError(f"Task {index}: {error}", field) from error


def _new_task(context: ControlContext, request: NewTask, now: float) -> Task:
    options = context.options
    max_nodes = request.max_nodes or _fitting_nodes(request, options.nodes_per_crawl)
    task = Task(
        id=context.ids.make("task"),
        task_type=request.task_type,
        parameters=request.parameters,
        project_id=request.project_id,
        workflow_id=request.workflow_id,
        cluster_id=request.cluster_id,
        priority=request.priority,
        min_resources=request.min_resources,
        capabilities=request.capabilities,
        schedule_strategy=request.schedule_strategy,
        target_region=request.target_region,
        content_features=request.content_features,
        node_type=request.node_type,
        categories=request.categories,
        max_retries=options.max_retries if request.max_retries is None else request.max_retries,
        timeout=request.timeout,
        max_nodes=max_nodes,
        dedup_key=_dedup_key(request) if request.deduplicate else None,
        open_places=max_nodes,
        created_at=now,
        updated_at=now,
    )
    return msgspec.structs.replace(task, queue=queue_of(task))


def _fitting_nodes(request: NewTask, nodes_per_crawl: int) -> int:
    """One page needs one node; a crawl that follows links may be spread."""
    if request.task_type != WEB_CRAWL:
        return 1
    parameters = request.parameters
    urls = parameters.get("urls") or ()
    single = parameters.get("depth") == 0 and len(urls) <= 1
    return 1 if single or parameters.get("max_pages") == 1 else nodes_per_crawl


def _maker(
    context: ControlContext, requests: Sequence[NewTask], key: str | None
) -> Callable[[int, Task], Submission]:
    """Makes the submission of the task with an index."""
    body = "" if key is None else _hash(requests)
    life = context.options.keep_idempotency_keys
    single = len(requests) == 1

    def make(index: int, task: Task) -> Submission:
        return Submission(
            task=task,
            events=(_created(task),),
            idempotency_key=key if key is None or single else f"{key}#{index}",
            body_hash=body,
            key_life=life,
        )

    return make


def _created(task: Task) -> Event:
    data = {"task_id": task.id, "task_type": task.task_type, "priority": task.priority}
    return Event(type=EventType.TASK_CREATED, at=task.created_at, data=data, task_id=task.id)


def _dedup_key(request: NewTask) -> str:
    """The same for the same URLs in the same project; where there are none, for the same parameters."""
    urls = [request.parameters.get("url"), *(request.parameters.get("urls") or ())]
    canonical = sorted({_canonical(url) for url in urls if isinstance(url, str)})
    return _hash([request.project_id, request.task_type, canonical or request.parameters])


def _canonical(url: str) -> str:
    identity = canonicalize(url, None, _ALL_PARAMETERS_COUNT)
    return url if identity is None else identity.url


def _hash(value: Any) -> str:
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()
