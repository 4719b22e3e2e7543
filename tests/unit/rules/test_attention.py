from typing import Any

import pytest

from crawlmesh.model.attention import AttentionItem, AttentionKind, Severity, SubjectType
from crawlmesh.model.crawl import CrawlProgress, FilterStatus
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.node import HealthStatus, Node, NodeHealth, NodeStatus
from crawlmesh.model.task import Task, TaskResult, TaskStatus
from crawlmesh.rules import attention as rules
from crawlmesh.rules.node_lifecycle import gone

NOW = 1_686_825_045.0  # 2023-06-15T10:30:45Z


def node(**fields: Any) -> Node:
    return Node(**{"id": "node-1", "identity": "a", "name": "a", "last_heartbeat": NOW, **fields})


def task(**fields: Any) -> Task:
    return Task(**{"id": "task-1", "task_type": "web_crawl", "parameters": {}, "created_at": NOW, **fields})


def test_a_silent_node_needs_somebody_most() -> None:
    item = rules.of_node(node(status=NodeStatus.UNRESPONSIVE))
    assert item is not None
    assert (item.kind, item.severity, item.since) == (AttentionKind.NODE_SILENT, Severity.ERROR, NOW)
    assert item.reason == "It has said nothing since 2023-06-15T10:30:45Z; its work went to others."
    never = rules.of_node(node(status=NodeStatus.UNRESPONSIVE, last_heartbeat=None))
    assert never is not None
    assert "since it registered" in never.reason


def test_a_node_that_was_given_up_is_told_of_and_one_that_left_is_not() -> None:
    given_up = gone(node(status=NodeStatus.UNRESPONSIVE), NOW).node
    item = rules.of_node(given_up)
    assert item is not None
    assert (item.kind, item.severity) == (AttentionKind.NODE_OFFLINE, Severity.WARNING)
    assert rules.of_node(node(status=NodeStatus.OFFLINE, reason="It left.")) is None


@pytest.mark.parametrize(
    ("health", "severity"),
    [
        (HealthStatus.UNHEALTHY, Severity.ERROR),
        (HealthStatus.UNREACHABLE, Severity.ERROR),
        (HealthStatus.DEGRADED, Severity.WARNING),
        (HealthStatus.HEALTHY, None),
        (HealthStatus.UNKNOWN, None),
    ],
)
def test_a_node_at_work_that_is_not_well(health: HealthStatus, severity: Severity | None) -> None:
    item = rules.of_node(node(health=NodeHealth(health, {"reason": "High resource usage"}, NOW)))
    assert (None if item is None else item.severity) == severity
    if item is not None:
        assert item.reason == f"It is {health}: High resource usage."
        plain = rules.of_node(node(health=NodeHealth(health)))
        assert plain is not None
        assert plain.reason == f"It is {health}."
    assert rules.of_node(node(status=NodeStatus.MAINTENANCE, health=NodeHealth(health))) is None


def test_a_task_is_stuck_after_a_minute() -> None:
    assert rules.stuck_task(task(), 0, ["no node is registered"], NOW + 59) is None
    for others, words in ((0, ""), (1, " So does another like it."), (2, " So do 2 others like it.")):
        item = rules.stuck_task(task(), others, ["none of the 3 nodes fits", "1 is full"], NOW + 60)
        assert item is not None
        assert item.reason == f"It waits for a node: none of the 3 nodes fits; 1 is full.{words}"
        assert item.since == NOW
    back = task(assigned_at=NOW, updated_at=NOW + 30)
    assert rules.stuck_task(back, 0, ["…"], NOW + 60) is None


def test_a_task_that_failed_is_told_of_for_a_day() -> None:
    failed = task(
        status=TaskStatus.FAILED, completed_at=NOW, result=TaskResult(success=False, error="No page.")
    )
    item = rules.failed_task(failed, NOW + 86_000)
    assert item is not None
    assert (item.reason, item.since) == ("No page.", NOW)
    assert rules.failed_task(failed, NOW + 86_401) is None
    late = rules.failed_task(task(status=TaskStatus.TIMEOUT, completed_at=NOW), NOW)
    assert late is not None
    assert late.reason == "It is timeout."


@pytest.mark.parametrize(
    ("done", "dead", "told"), [(15, 4, False), (16, 4, False), (15, 5, True), (0, 19, False)]
)
def test_a_crawl_that_gives_up_more_than_a_fifth(done: int, dead: int, told: bool) -> None:
    progress = CrawlProgress(done=done, dead=dead, by_reason={"http_500": 3, "dns": 2})
    items = rules.of_crawl(task(started_at=NOW), progress)
    assert [item.kind for item in items] == ([AttentionKind.TASK_FAILING] if told else [])
    if told:
        assert items[0].reason == "5 of 20 URLs were given up, mostly for http_500."


def test_a_filter_that_is_nearly_full() -> None:
    progress = CrawlProgress(filter=FilterStatus(100, 95, 1, 200, 0.0001))
    [item] = rules.of_crawl(task(), progress)
    assert (item.kind, item.severity, item.subject_type) == (
        AttentionKind.FILTER_NEARLY_FULL,
        Severity.INFO,
        SubjectType.FILTER,
    )
    assert item.reason == "Its Bloom filter is 95 % full and will grow."


def test_hosts_matter_while_links_wait() -> None:
    failing, well = HostState("a.example", failures=3), HostState("a.example", failures=2)
    blocked = HostLimits(blocked=True)
    assert rules.of_host("a.example", failing, blocked, 0) is None
    assert rules.of_host("a.example", well, HostLimits(), 5) is None
    one = rules.of_host("a.example", failing, None, 1)
    many = rules.of_host("a.example", failing, blocked, 7)
    assert one is not None
    assert many is not None
    assert one.reason == "3 requests in a row got no answer; 1 link waits."
    assert (many.kind, many.reason) == (AttentionKind.HOST_BLOCKED, "A user blocked it; 7 links wait.")


def test_the_most_severe_come_first_and_not_too_many() -> None:
    def item(number: int, severity: Severity) -> AttentionItem:
        return AttentionItem(
            kind=AttentionKind.TASK_FAILED,
            severity=severity,
            subject_type=SubjectType.TASK,
            subject_id=f"task-{number}",
            reason="…",
            since=NOW + number,
        )

    severities = [Severity.INFO, Severity.WARNING, Severity.ERROR]
    found = rules.ranked(item(number, severities[number % 3]) for number in range(60))
    assert (len(found.items), found.more) == (50, 10)
    assert [each.severity for each in found.items[:40]] == [Severity.ERROR] * 20 + [Severity.WARNING] * 20
    assert found.items[0].subject_id == "task-59"
