"""Devices and their tasks in requests and answers."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from crawlmesh.api.requests import TaskRequest
from crawlmesh.api.shapes.moments import moment, moment_if_any, plain_numbers
from crawlmesh.api.shapes.tasks import TaskShape, task_shape
from crawlmesh.control.submit_tasks import Submitted
from crawlmesh.model.execution import Assignment
from crawlmesh.model.node import HealthStatus, Node, NodeStatus
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.protocol.node_messages import Capabilities, Registration, Resources, Slots, TaskTypes, Weight
from crawlmesh.protocol.texts import NO_NUL, PATH_PART, Name, NameOrEmpty, PlainText

_THIS_MACHINE = "127.0.0.1"
_USUAL_SLOTS = 3

DeviceStatusName = Literal["online", "offline", "maintenance", "draining"]
TaskStatusName = Literal["processing", "completed", "failed", "cancelled", "paused", "pending"]


# Clients of the user guide send fields of their own: here, what nobody knows is left alone.
class DeviceRegistration(msgspec.Struct, frozen=True, kw_only=True):
    """A device introduces itself. With the same id as before, it is the same device again."""

    device_id: Annotated[str, Meta(min_length=1, max_length=255, pattern=PATH_PART)]
    device_name: NameOrEmpty = ""
    host: NameOrEmpty | None = None
    port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    description: PlainText = ""
    device_type: NameOrEmpty = "standard"
    region: NameOrEmpty = ""
    capabilities: Capabilities = {}
    resources: Resources = {}
    concurrent_tasks: Slots | None = None  # 3, where nothing is said
    weight: Weight = 1.0
    task_types: TaskTypes = ()
    ip_address: NameOrEmpty | None = None  # another name of host
    max_concurrent_tasks: Slots | None = None  # another name of concurrent_tasks

    def as_node(self) -> Registration:
        """The same in the words of `/api/v1`."""
        return Registration(
            name=self.device_name or self.device_id,
            device_id=self.device_id,
            ip_address=self.host or self.ip_address or _THIS_MACHINE,
            port=self.port,
            description=self.description,
            node_type=self.device_type,
            region=self.region,
            capabilities=self.capabilities,
            resources=self.resources,
            slots=self.concurrent_tasks or self.max_concurrent_tasks or _USUAL_SLOTS,
            weight=self.weight,
            task_types=self.task_types,
        )


class RegisteredDevice(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a registration. The token is told only here."""

    device_id: str
    node_id: str
    status: str
    token: str
    session: int
    registered_at: str
    heartbeat_interval: float


class DeviceStatus(msgspec.Struct, frozen=True):
    """The status that a device shall have."""

    status: DeviceStatusName


class DeviceShape(msgspec.Struct, frozen=True, kw_only=True):
    """A device."""

    device_id: str
    device_name: str
    node_id: str
    host: str
    port: int
    device_type: str
    region: str
    status: NodeStatus
    health: HealthStatus
    last_heartbeat: str | UnsetType = UNSET
    capabilities: dict[str, Any]
    resources: dict[str, float]
    concurrent_tasks: int
    active_tasks: int
    load: float
    registered_at: str


class DevicesAnswer(msgspec.Struct, frozen=True):
    """Some devices, and where the next page begins."""

    devices: Sequence[DeviceShape]
    next_cursor: str | None = None


class DistributionTask(TaskRequest, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A task; `url` is short for `parameters.url`."""

    url: Annotated[str, Meta(max_length=8192, pattern=NO_NUL)] | None = None


class CreatedDistributionTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that was taken in. `duplicate` stands there where it is an earlier one."""

    task_id: str
    status: TaskStatus
    created_at: str
    priority: int
    duplicate: bool | UnsetType = UNSET


class TasksAnswer(msgspec.Struct, frozen=True):
    """Some tasks, and where the next page begins."""

    tasks: Sequence[TaskShape]
    next_cursor: str | None = None


class TaskAssignment(msgspec.Struct, frozen=True):
    """The device that shall do the task."""

    device_id: Name


class TaskStatusUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a task. `result` and `error` go with completed and failed.

    A device tells of its own work: processing, completed, failed. An operator may also say cancelled,
    paused, and pending (which lets a paused task go on, and an ended one begin again). `device_id` is
    the device that works on it, for an operator who speaks for one of several.
    """

    status: TaskStatusName
    device_id: Name | None = None
    result: dict[str, Any] | None = None
    error: PlainText | None = None
    metrics: dict[str, Any] = {}


class PulledTask(msgspec.Struct, frozen=True, kw_only=True):
    """Work for a device."""

    task_id: str
    execution_id: str
    task_type: str
    parameters: dict[str, Any]
    priority: int
    status: TaskStatus
    retry_count: int
    deadline: str | UnsetType = UNSET


class PulledTasks(msgspec.Struct, frozen=True):
    """Work that the device has not begun."""

    tasks: Sequence[PulledTask]


def device_shape(node: Node) -> DeviceShape:
    """A node as a device."""
    return DeviceShape(
        device_id=node.identity,
        device_name=node.name,
        node_id=node.id,
        host=node.ip_address,
        port=node.port,
        device_type=node.node_type,
        region=node.region,
        status=node.status,
        health=node.health.status,
        last_heartbeat=moment_if_any(node.last_heartbeat),
        capabilities=node.capabilities,
        resources=plain_numbers(node.resources),
        concurrent_tasks=node.slots,
        active_tasks=node.active_tasks,
        load=node.load,
        registered_at=moment(node.created_at),
    )


def created_distribution_task(submitted: Submitted) -> CreatedDistributionTask:
    """The answer to a submission."""
    task = submitted.task
    return CreatedDistributionTask(
        task_id=task.id,
        status=task.status,
        created_at=moment(task.created_at),
        priority=task.priority,
        duplicate=submitted.duplicate or UNSET,
    )


def pulled_task(assignment: Assignment) -> PulledTask:
    """An assignment as a device gets it."""
    task, execution = assignment.task, assignment.execution
    return PulledTask(
        task_id=task.id,
        execution_id=execution.id,
        task_type=task.task_type,
        parameters=task.parameters,
        priority=task.priority,
        status=task.status,
        retry_count=task.retry_count,
        deadline=moment_if_any(execution.deadline),
    )


def tasks_answer(tasks: Sequence[Task], next_cursor: str | None) -> TasksAnswer:
    """A page of tasks."""
    return TasksAnswer([task_shape(task) for task in tasks], next_cursor)
