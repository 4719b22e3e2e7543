"""What nodes say to masters, and what they hear back.

`POST /api/v1/nodes:register` and `POST /api/v1/nodes/{node_id}:heartbeat | :pull | :report | :logs | :leave`.
"""

from typing import Any, Literal

import msgspec

from crawlmesh.model.execution import Assignment, EndedBy
from crawlmesh.model.task import TaskResult


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """A node introduces itself. With the same identity as before, it is the same node again (N1).

    The identity is `device_id` where one is given, else name, ip_address and port together.
    """

    name: str
    ip_address: str = "127.0.0.1"
    port: int = 0
    device_id: str | None = None
    description: str = ""
    cluster_id: str | None = None
    node_type: str = "standard"
    region: str = ""
    capabilities: dict[str, Any] = {}
    resources: dict[str, float] = {}
    slots: int = 3  # tasks at once
    weight: float = 1.0
    task_types: tuple[str, ...] = ()


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a registration. The token is told only here."""

    node_id: str
    registration_time: float
    initial_status: str
    token: str
    session: int
    cluster_id: str
    heartbeat_interval: float  # seconds
    crawl_store: str | None = (
        None  # address of a store that workers may use directly; None: through the master
    )


class HeartbeatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What a node reports of itself (N3)."""

    resources: dict[str, float] = {}  # cpu_usage, memory_usage, gpu_usage …
    load: float = 0.0
    active_tasks: tuple[str, ...] = ()
    session: int | None = None  # None: a client that does not know sessions
    task_errors: int = 0
    task_latency: float = 0.0  # seconds


class HeartbeatAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`status` is that of the node from now on."""

    node_id: str
    timestamp: float
    status: str


class PullMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A node asks for work; the master answers when there is some, or after `wait` seconds.

    `known` are the executions that the node has already, so that an answer that got lost is simply
    given again; `started` are those of them whose work has begun.
    """

    session: int
    known: tuple[str, ...] = ()
    started: tuple[str, ...] = ()
    wait: float = 25.0  # seconds


class StopOrder(msgspec.Struct, frozen=True):
    """An execution that the node shall end, keeping what is done, and report as stopped."""

    execution_id: str
    reason: EndedBy


class PullAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """New work, and what shall end. `gone` are known executions that are no longer this node's: drop them."""

    assignments: tuple[Assignment, ...] = ()
    stop: tuple[StopOrder, ...] = ()
    gone: tuple[str, ...] = ()
    status: str = "online"  # of the node; `draining` asks it to leave when it is done


class ExecutionReport(msgspec.Struct, frozen=True, kw_only=True):
    """The end of a go, as the node tells it. `stopped`: it was asked to, or it leaves."""

    execution_id: str
    fence: int
    outcome: Literal["completed", "failed", "stopped"]
    result: TaskResult | None = None
    retry: bool = True  # whether another try may help, where it failed


class ReportMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Executions that ended. Sent again until it is answered; a repetition changes nothing."""

    session: int
    reports: tuple[ExecutionReport, ...]


class ReportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One bool for each report: taken, or refused for its fence."""

    taken: tuple[bool, ...]


class NodeLogLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log of an execution."""

    execution_id: str
    task_id: str
    at: float
    level: str
    message: str


class LogMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of logs, in order."""

    session: int
    lines: tuple[NodeLogLine, ...]
