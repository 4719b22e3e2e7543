"""An execution: one node's go at a task."""

from enum import StrEnum
from typing import Any

import msgspec

from crawlmesh.model.task import Task, TaskResult


class ExecutionStatus(StrEnum):
    """Whether a go is under way, or how it ended."""

    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class EndedBy(StrEnum):
    """Why a go ended."""

    FINISHED = "finished"
    ERROR = "error"
    TIMEOUT = "timeout"
    NODE_LOST = "node_lost"
    PAUSED = "paused"
    CANCELLED = "cancelled"
    RELEASED = "released"  # drained, or the node began anew


class Allocation(msgspec.Struct, frozen=True):
    """What a node gives to one go (S4 of the requirements)."""

    cpu_cores: float
    memory_mb: float
    gpu: float = 0.0


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """One node's go at a task.

    `fence` is that of the task at the moment of placement. A report counts while the go is running
    and names the same fence. `stop` asks the node to end it: it is set by pause, cancel and drain.
    """

    id: str
    task_id: str
    node_id: str
    fence: int
    status: ExecutionStatus = ExecutionStatus.RUNNING
    ended_by: EndedBy | None = None
    stop: EndedBy | None = None
    start_time: float = 0.0
    end_time: float | None = None
    deadline: float | None = None  # when it has timed out
    result: TaskResult | None = None
    metrics: dict[str, Any] = {}
    retry_count: int = 0
    allocation: Allocation | None = None
    strategy: str = ""  # that chose the node
    choice: str = ""  # why this node, one sentence


class RunningExecution(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """As much of a running execution as a node has to be told about one that it knows."""

    id: str
    stop: EndedBy | None = None


class Assignment(msgspec.Struct, frozen=True):
    """A go together with its task, as a node gets it."""

    execution: Execution
    task: Task
