"""Heartbeats of devices: those of `/api/v1`, and the flat ones of clients of the user guide."""

from crawlmesh.control.context import ControlContext
from crawlmesh.model.node import Node
from crawlmesh.protocol.node_messages import HeartbeatMessage
from crawlmesh.protocol.texts import Count, PlainText

_PERCENT = 100.0


class DeviceHeartbeat(HeartbeatMessage, frozen=True, kw_only=True):
    """How a device is; everything may be left out.

    The readings may also stand beside each other. A share above 1 is taken as a percentage.
    """

    active_tasks: tuple[PlainText, ...] | Count = ()  # type: ignore[assignment]
    cpu_usage: float | None = None
    memory_usage: float | None = None
    disk_usage: float | None = None
    gpu_usage: float | None = None


async def heartbeat_of(context: ControlContext, device: Node, told: DeviceHeartbeat) -> HeartbeatMessage:
    """The same in the words of `/api/v1`. A mere number of tasks stands for those the device has."""
    flat = {
        "cpu_usage": told.cpu_usage,
        "memory_usage": told.memory_usage,
        "disk_usage": told.disk_usage,
        "gpu_usage": told.gpu_usage,
    }
    shares = {name: _share(value) for name, value in flat.items() if value is not None}
    tasks = told.active_tasks
    if isinstance(tasks, int):
        running = await context.store.node_assignments(device.id)
        tasks = tuple(assignment.task.id for assignment in running)[:tasks]
    return HeartbeatMessage(
        resources={**shares, **told.resources},
        load=_share(told.load),
        active_tasks=tasks,
        session=told.session,
        task_errors=told.task_errors,
        task_latency=told.task_latency,
    )


def _share(value: float) -> float:
    return value / _PERCENT if 1.0 < value <= _PERCENT else value
