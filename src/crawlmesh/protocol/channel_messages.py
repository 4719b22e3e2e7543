"""What travels over message brokers: tasks from other systems, work for nodes, results for everybody."""

from typing import Any, Final

import msgspec

TASKS: Final = "tasks"  # where other systems put new tasks
EVENTS: Final = "events"
RESULTS: Final = "results"
RECORDS: Final = "records"
ASSIGNMENTS: Final = "assignments."  # with the id of a node behind it

SESSION_HEADER: Final = "x-crawlmesh-session"  # of an assignment: the session of the node that it is for
CHANNEL_CAPABILITY: Final = "task_channel"  # of a node that takes assignments from a broker


def assignments_of(node_id: str) -> str:
    """The place where the work of a node lies."""
    return ASSIGNMENTS + node_id


class TaskEnded(msgspec.Struct, frozen=True, kw_only=True):
    """A task came to its end. `records` is where its records are read, below a master's address."""

    task_id: str
    status: str  # completed, failed, timeout or cancelled
    task_type: str
    project_id: str
    workflow_id: str | None
    parameters: dict[str, Any]
    ended_at: str | None  # ISO 8601
    reason: str | None
    success: bool
    error: str | None
    metrics: dict[str, Any]  # such as pages_crawled
    records: str
