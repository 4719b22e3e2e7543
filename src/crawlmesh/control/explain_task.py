"""Why a task is where it is: why it waits, or why it went to that node (S6)."""

import asyncio
from datetime import UTC, datetime

import msgspec

from crawlmesh.control.changing import known_task
from crawlmesh.control.context import ControlContext
from crawlmesh.control.fleet_view import current_fleet
from crawlmesh.model.execution import Allocation, Execution
from crawlmesh.model.host import HostState, HostStatus
from crawlmesh.model.task import WEB_CRAWL, Task, TaskStatus
from crawlmesh.rules.host_limits import limited
from crawlmesh.rules.placement.fleet import FleetExplanation

_MOST_HOSTS = 100  # of a crawl that are looked at
_SHOWN_HOSTS = 5
_AT_WORK = frozenset({TaskStatus.ASSIGNED, TaskStatus.PROCESSING})


class PlacementExplanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why one node works on the task."""

    execution_id: str
    node_id: str
    since: float
    strategy: str
    choice: str  # why this node, one sentence
    allocation: Allocation | None
    stop: str | None = None  # why it was asked to end


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """`summary` is the short answer; `reasons` are all that hold, most important first."""

    task_id: str
    status: str
    summary: str
    reasons: tuple[str, ...] = ()
    placements: tuple[PlacementExplanation, ...] = ()
    nodes: int = 0  # that are registered
    fitting: int = 0  # nodes that could do it
    free: int = 0  # of them with a free place


async def explain_task(context: ControlContext, task_id: str) -> Explanation:
    """Raises NotFoundError."""
    task = await known_task(context, task_id)
    running = [] if task.ended else await context.store.running_executions([task_id])
    reasons: list[str] = []
    if task.status is TaskStatus.WAITING:
        reasons.append(_back_off(task))
    if task.reason:
        reasons.append(task.reason)
    fleet = (await current_fleet(context)).explain(task) if _wants_nodes(task) else None
    if fleet is not None:
        reasons += _placing(context, task, fleet)
    if task.task_type == WEB_CRAWL and not task.ended:
        reasons += _resting(await _waited_for(context, task_id))
    return Explanation(
        task_id=task.id,
        status=task.status.value,
        summary=_summary(task, running, reasons),
        reasons=tuple(reasons),
        placements=tuple(_placement(execution) for execution in running),
        nodes=fleet.nodes if fleet else 0,
        fitting=fleet.fitting if fleet else 0,
        free=fleet.free if fleet else 0,
    )


def _wants_nodes(task: Task) -> bool:
    return task.status is TaskStatus.PENDING or (task.status in _AT_WORK and task.open_places > 0)


def _placing(context: ControlContext, task: Task, fleet: FleetExplanation) -> list[str]:
    sentences = list(fleet.sentences)
    if not fleet.fitting and task.task_type not in context.task_types:
        sentences.insert(0, f"no node has an executor for {task.task_type}")
    if task.status is TaskStatus.PENDING and fleet.free:
        sentences.append("it is in line: tasks of a higher priority, then older ones, go first")
    return sentences


def _back_off(task: Task) -> str:
    moment = datetime.fromtimestamp(task.not_before, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"waits until {moment} after attempt {task.retry_count}"


async def _waited_for(context: ControlContext, task_id: str) -> list[HostStatus]:
    """The hosts of a crawl that have links left."""
    hosts = await context.crawl_store.hosts(task_id, _MOST_HOSTS)
    names = [each.host for each in hosts if each.queued]
    found = await asyncio.gather(*(context.crawl_store.host_status(name) for name in names))
    return [status for status in found if status is not None]


def _resting(hosts: list[HostStatus]) -> list[str]:
    """Hosts to be waited for: blocked ones, those that rest now, then those that are asked slowly."""
    resting = [(status, limited(status.state, status.limits)) for status in hosts]
    resting = [(status, state) for status, state in resting if _holds_up(status, state)]
    resting.sort(key=lambda each: (not each[0].limits.blocked, -each[0].ready_in, -each[1].delay))
    sentences = [_rest(status, state) for status, state in resting[:_SHOWN_HOSTS]]
    if len(resting) > _SHOWN_HOSTS:
        sentences.append(f"{len(resting) - _SHOWN_HOSTS} more hosts are rate-limited")
    return sentences


def _holds_up(status: HostStatus, state: HostState) -> bool:
    limits = status.limits
    return limits.blocked or status.ready_in > 0 or state.delay > 0 or state.slots < status.state.slots


def _rest(status: HostStatus, state: HostState) -> str:
    host = f"host {status.host}"
    if status.limits.blocked:
        return f"{host} is blocked by a user"
    if status.ready_in > 0:
        return f"{host} is rate-limited for {max(round(status.ready_in, 1), 0.1):g} s"
    if state.delay > 0:
        whose = " by a user" if state.delay > status.state.delay else ""
        return f"{host} is rate-limited{whose}: one request every {state.delay:g} s"
    return f"{host} is limited by a user to {state.slots} requests at once"


def _placement(execution: Execution) -> PlacementExplanation:
    return PlacementExplanation(
        execution_id=execution.id,
        node_id=execution.node_id,
        since=execution.start_time,
        strategy=execution.strategy,
        choice=execution.choice,
        allocation=execution.allocation,
        stop=execution.stop.value if execution.stop else None,
    )


def _summary(task: Task, running: list[Execution], reasons: list[str]) -> str:
    at_work = [execution for execution in running if execution.stop is None]
    if task.status in _AT_WORK and at_work:
        latest = at_work[-1]
        return f"It is on node {latest.node_id}: {latest.choice or 'no reason was kept'}."
    if task.ended:
        return f"It is {task.status.value}{': ' + task.reason if task.reason else '.'}"
    return "; ".join(reasons[:3]) + "." if reasons else f"It is {task.status.value}."
