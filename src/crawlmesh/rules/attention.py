"""Which of the things that were found need somebody, and how much (M1)."""

from collections.abc import Iterable
from datetime import UTC, datetime

from crawlmesh.model.attention import AttentionItem, AttentionKind, AttentionList, Severity, SubjectType
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.node import HealthStatus, Node, NodeStatus
from crawlmesh.model.task import Task
from crawlmesh.rules.node_lifecycle import WAS_SILENT

STUCK_AFTER = 60.0  # seconds that a task waits with no node for it
FAILED_SINCE = 86_400.0  # seconds that a failed task is shown
_MOST_ITEMS = 50
_MOST_DEAD = 0.2  # share of the links of a crawl that may be given up
_ENOUGH = 20  # links of a crawl that say something
_FAILURES = 3  # in a row; fewer say little about a host
_ORDER = {severity: number for number, severity in enumerate(Severity)}
_KINDS = {kind: number for number, kind in enumerate(AttentionKind)}
_UNWELL = {
    HealthStatus.UNREACHABLE: Severity.ERROR,
    HealthStatus.UNHEALTHY: Severity.ERROR,
    HealthStatus.DEGRADED: Severity.WARNING,
}
_AT_WORK = frozenset({NodeStatus.ONLINE, NodeStatus.DRAINING})


def ranked(items: Iterable[AttentionItem]) -> AttentionList:
    """The most severe first, then by kind, the latest first; only so many that somebody would read them."""
    found = sorted(
        items,
        key=lambda item: (_ORDER[item.severity], _KINDS[item.kind], -(item.since or 0.0), item.subject_id),
    )
    return AttentionList(items=tuple(found[:_MOST_ITEMS]), more=max(len(found) - _MOST_ITEMS, 0))


def of_node(node: Node) -> AttentionItem | None:
    """A node that is not well, or that is away and did not leave in order."""
    if node.status is NodeStatus.UNRESPONSIVE:
        reason = f"It has said nothing since {_written(node.last_heartbeat)}; its work went to others."
        return _of_node(node, AttentionKind.NODE_SILENT, Severity.ERROR, reason, node.last_heartbeat)
    if node.status is NodeStatus.OFFLINE and node.reason == WAS_SILENT:
        reason = f"It was silent for too long; its last heartbeat came {_written(node.last_heartbeat)}."
        return _of_node(node, AttentionKind.NODE_OFFLINE, Severity.WARNING, reason, node.last_heartbeat)
    severity = _UNWELL.get(node.health.status)
    if node.status in _AT_WORK and severity is not None:
        reason = f"It is {node.health.status}{_because(node)}."
        return _of_node(node, AttentionKind.NODE_UNHEALTHY, severity, reason, None)
    return None


def stuck_task(task: Task, others: int, reasons: Iterable[str], now: float) -> AttentionItem | None:
    """A task that waits and that no node can take, with those that wait for the same."""
    since = task.created_at if task.assigned_at is None else task.updated_at
    if now - since < STUCK_AFTER:
        return None
    alike = (
        f" So do {others} others like it." if others > 1 else " So does another like it." if others else ""
    )
    return AttentionItem(
        kind=AttentionKind.TASK_STUCK,
        severity=Severity.ERROR,
        subject_type=SubjectType.TASK,
        subject_id=task.id,
        reason=f"It waits for a node: {'; '.join(reasons)}.{alike}",
        since=since,
    )


def failed_task(task: Task, now: float) -> AttentionItem | None:
    """A task that failed lately."""
    if task.completed_at is None or task.completed_at < now - FAILED_SINCE:
        return None
    error = task.result.error if task.result is not None else None
    return AttentionItem(
        kind=AttentionKind.TASK_FAILED,
        severity=Severity.WARNING,
        subject_type=SubjectType.TASK,
        subject_id=task.id,
        reason=error or task.reason or f"It is {task.status}.",
        since=task.completed_at,
    )


def of_crawl(task: Task, progress: CrawlProgress) -> list[AttentionItem]:
    """A crawl that is worked on: it gives up many links, or its filter is nearly full."""
    items: list[AttentionItem] = []
    settled = progress.done + progress.dead
    if settled >= _ENOUGH and progress.dead > _MOST_DEAD * settled:
        mostly = max(progress.by_reason, key=lambda name: progress.by_reason[name], default="")
        reason = (
            f"{progress.dead} of {settled} URLs were given up{f', mostly for {mostly}' if mostly else ''}."
        )
        items.append(_of_task(task, AttentionKind.TASK_FAILING, Severity.ERROR, reason))
    if progress.filter is not None and progress.filter.nearly_full:
        reason = f"Its Bloom filter is {int(progress.filter.fill * 100)} % full and will grow."
        items.append(
            AttentionItem(
                kind=AttentionKind.FILTER_NEARLY_FULL,
                severity=Severity.INFO,
                subject_type=SubjectType.FILTER,
                subject_id=task.id,
                reason=reason,
            )
        )
    return items


def of_host(host: str, state: HostState, limits: HostLimits | None, queued: int) -> AttentionItem | None:
    """A host with links that wait: a user blocked it, or it does not answer."""
    if not queued:
        return None
    links = "1 link waits" if queued == 1 else f"{queued} links wait"
    if limits is not None and limits.blocked:
        reason = f"A user blocked it; {links}."
        return _of_host(host, AttentionKind.HOST_BLOCKED, Severity.WARNING, reason)
    if state.failures >= _FAILURES:
        reason = f"{state.failures} requests in a row got no answer; {links}."
        return _of_host(host, AttentionKind.HOST_FAILING, Severity.WARNING, reason)
    return None


def away(kind: AttentionKind, subject_type: SubjectType, name: str, reason: str) -> AttentionItem:
    """A server that does not answer."""
    return AttentionItem(
        kind=kind, severity=Severity.ERROR, subject_type=subject_type, subject_id=name, reason=reason
    )


def _of_node(
    node: Node, kind: AttentionKind, severity: Severity, reason: str, since: float | None
) -> AttentionItem:
    return AttentionItem(
        kind=kind,
        severity=severity,
        subject_type=SubjectType.NODE,
        subject_id=node.id,
        reason=reason,
        since=since,
    )


def _of_task(task: Task, kind: AttentionKind, severity: Severity, reason: str) -> AttentionItem:
    return AttentionItem(
        kind=kind,
        severity=severity,
        subject_type=SubjectType.TASK,
        subject_id=task.id,
        reason=reason,
        since=task.started_at,
    )


def _of_host(host: str, kind: AttentionKind, severity: Severity, reason: str) -> AttentionItem:
    return AttentionItem(
        kind=kind, severity=severity, subject_type=SubjectType.HOST, subject_id=host, reason=reason
    )


def _because(node: Node) -> str:
    reason = node.health.details.get("reason")
    return f": {reason}" if isinstance(reason, str) and reason else ""


def _written(moment: float | None) -> str:
    if moment is None:
        return "it registered"
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
