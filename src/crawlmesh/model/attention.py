"""What needs somebody's attention (M1)."""

from enum import StrEnum

import msgspec


class Severity(StrEnum):
    """How much it matters, the worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class AttentionKind(StrEnum):
    """What can be the matter."""

    NODE_UNHEALTHY = "node_unhealthy"
    NODE_SILENT = "node_silent"
    NODE_OFFLINE = "node_offline"
    TASK_STUCK = "task_stuck"  # it waits, and no node can take it
    TASK_FAILED = "task_failed"  # lately
    TASK_FAILING = "task_failing"  # a crawl that is worked on and gives up many links
    HOST_BLOCKED = "host_blocked"
    HOST_FAILING = "host_failing"
    FILTER_NEARLY_FULL = "filter_nearly_full"
    BROKER_AWAY = "broker_away"
    CRAWL_STORE_AWAY = "crawl_store_away"


class SubjectType(StrEnum):
    """What it can be about."""

    NODE = "node"
    TASK = "task"
    HOST = "host"
    FILTER = "filter"  # its id is that of the crawl's task
    BROKER = "broker"
    STORE = "store"
    MASTER = "master"


class AttentionItem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that somebody should look at."""

    kind: AttentionKind
    severity: Severity
    subject_type: SubjectType
    subject_id: str
    reason: str  # one sentence
    since: float | None = None  # Unix time; None: not known


class AttentionList(msgspec.Struct, frozen=True, kw_only=True):
    """The most severe first, and how many others there are."""

    items: tuple[AttentionItem, ...] = ()
    more: int = 0
