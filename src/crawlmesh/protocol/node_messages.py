"""What nodes say to masters, and what they hear back.

`POST /api/v1/nodes:register` and `POST /api/v1/nodes/{node_id}:heartbeat | :pull | :report | :logs | :leave`.
"""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from crawlmesh.model.execution import Assignment, EndedBy
from crawlmesh.model.task import TaskResult
from crawlmesh.protocol.texts import Count, Name, NameOrEmpty, PlainText

_MOST_ENTRIES = 256

Amount = Annotated[int, Meta(ge=0, le=2**63 - 1)] | Annotated[float, Meta(ge=0, le=1e300)]
Capabilities = Annotated[dict[str, Any], Meta(max_length=_MOST_ENTRIES)]
Resources = Annotated[dict[PlainText, Amount], Meta(max_length=_MOST_ENTRIES)]
TaskTypes = Annotated[tuple[PlainText, ...], Meta(max_length=_MOST_ENTRIES)]
Slots = Annotated[int, Meta(ge=1, le=100_000, description="Tasks at once.")]
Weight = Annotated[float, Meta(gt=0, le=1_000_000)]


class Registration(msgspec.Struct, frozen=True, kw_only=True):
    """A node introduces itself. With the same identity as before, it is the same node again (N1).

    The identity is `device_id` where one is given, else name, ip_address and port together.
    """

    name: Name
    ip_address: NameOrEmpty = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    device_id: NameOrEmpty | None = None
    description: PlainText = ""
    cluster_id: NameOrEmpty | None = None
    node_type: NameOrEmpty = "standard"
    region: NameOrEmpty = ""
    capabilities: Capabilities = {}
    resources: Resources = {}
    slots: Slots = 3
    weight: Weight = 1.0
    task_types: TaskTypes = ()
    new_process: bool = False  # it has just begun and no earlier one lives: what that one leased is free


class Registered(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a registration. The token is told only here."""

    node_id: str
    registration_time: float
    initial_status: str
    token: str
    session: int
    cluster_id: str
    heartbeat_interval: float  # seconds


class HeartbeatMessage(msgspec.Struct, frozen=True, kw_only=True):
    """What a node reports of itself (N3)."""

    resources: dict[PlainText, float] = {}  # cpu_usage, memory_usage, gpu_usage …
    load: float = 0.0
    active_tasks: tuple[PlainText, ...] = ()
    session: Count | None = None  # None: a client that does not know sessions
    task_errors: Count = 0
    task_latency: float = 0.0  # seconds
    between: bool = False  # sent between two regular ones, for the pace of crawls: it is not kept


class HeartbeatAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`status` is that of the node from now on.

    `between`: after so many seconds a node whose crawls get on may tell their pace, if that is before its
    next heartbeat. Only nodes that tell it get this.
    """

    node_id: str
    timestamp: float
    status: str
    between: float | UnsetType = UNSET


class PullMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A node asks for work; the master answers when there is some, or after `wait` seconds.

    `known` are the executions that the node has already, so that an answer that got lost is simply
    given again; `started` are those of them whose work has begun.
    """

    session: Count
    known: tuple[PlainText, ...] = ()
    started: tuple[PlainText, ...] = ()
    wait: float = 25.0  # seconds
    channel: bool = False  # whether the node takes work from the task channel at the moment


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

    execution_id: PlainText
    fence: Count
    outcome: Literal["completed", "failed", "stopped"]
    result: TaskResult | None = None
    retry: bool = True  # whether another try may help, where it failed


class ReportMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Executions that ended. Sent again until it is answered; a repetition changes nothing."""

    session: Count
    reports: tuple[ExecutionReport, ...]


class ReportAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One bool for each report: taken, or refused for its fence."""

    taken: tuple[bool, ...]


class NodeLogLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log of an execution."""

    execution_id: PlainText
    task_id: PlainText
    at: float
    level: PlainText
    message: PlainText


class LogMessage(msgspec.Struct, frozen=True, kw_only=True):
    """Lines of logs, in order."""

    session: Count
    lines: tuple[NodeLogLine, ...]
