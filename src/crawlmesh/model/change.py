"""Changes of control data, each made whole or not at all."""

import msgspec

from crawlmesh.model.event import Event
from crawlmesh.model.execution import Execution
from crawlmesh.model.node import Node
from crawlmesh.model.task import Task


class TaskChange(msgspec.Struct, frozen=True, kw_only=True):
    """A task as it shall be from now on, with everything that changes together with it.

    Compare-and-set: it is taken where the stored task has the fence `task.fence - 1`, and refused,
    executions and events included, where not. A task with the fence 1 is a new one.

    What a known task was submitted with stays: only its `priority` and the fields from `status` on,
    without `created_at`, may differ from the stored ones. So may all of an execution but its ids.
    """

    task: Task
    executions: tuple[Execution, ...] = ()  # new ones, and ones that change
    events: tuple[Event, ...] = ()


class NodeChange(msgspec.Struct, frozen=True, kw_only=True):
    """A node as it shall be from now on. Compare-and-set on `node.fence - 1`, as with tasks.

    What heartbeats bring (last_heartbeat, load, usage, active_tasks) is written only for a new node, and
    for a known one whose `session` differs from the stored one: then a new process speaks for it.
    """

    node: Node
    events: tuple[Event, ...] = ()


class Leadership(msgspec.Struct, frozen=True):
    """The right to lead until `expires_at`. `fence` is higher than that of every earlier leader."""

    holder: str
    fence: int
    expires_at: float
