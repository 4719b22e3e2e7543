"""`/api/distribution/devices`."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import JOINERS, OPERATORS, VIEWERS
from crawlmesh.api.bodies import BodyReader, answer
from crawlmesh.api.distribution.access import device_or_operator, known_device
from crawlmesh.api.distribution.heartbeats import DeviceHeartbeat, heartbeat_of
from crawlmesh.api.distribution.shapes import (
    DeviceRegistration,
    DevicesAnswer,
    DeviceShape,
    DeviceStatus,
    DeviceStatusName,
    RegisteredDevice,
    device_shape,
)
from crawlmesh.api.distribution.statuses import naming_statuses
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.pages import Limit, NodeCursor
from crawlmesh.api.parameters import NodeStatuses
from crawlmesh.api.paths import DeviceId
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.moments import moment
from crawlmesh.api.shapes.nodes import NodeStatsShape, node_stats_shape
from crawlmesh.control.bring_online import bring_online
from crawlmesh.control.context import ControlContext
from crawlmesh.control.drain_node import drain_node
from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.maintain_node import maintain_node
from crawlmesh.control.node_stats import node_stats
from crawlmesh.control.register_node import register_node
from crawlmesh.control.unregister_node import unregister_node
from crawlmesh.model.node import Node
from crawlmesh.model.query import NodeQuery
from crawlmesh.protocol.node_messages import HeartbeatAnswer

router = APIRouter(prefix="/api/distribution")

_TAG = "distribution"
_REGISTRATION = BodyReader(DeviceRegistration)
_STATUS = BodyReader(DeviceStatus)
_HEARTBEAT = BodyReader(DeviceHeartbeat, required=False)
_STEPS = {
    "online": bring_online,
    "offline": unregister_node,
    "maintenance": maintain_node,
    "draining": drain_node,
}

_DEVICE_EXAMPLE = {
    "device_id": "worker-001",
    "device_name": "Worker Node 1",
    "node_id": "worker-001",
    "host": "192.168.1.101",
    "port": 8000,
    "device_type": "standard",
    "region": "us",
    "status": "online",
    "health": "healthy",
    "last_heartbeat": "2023-06-15T10:30:45Z",
    "capabilities": {},
    "resources": {"cpu": 8, "memory_mb": 16384},
    "concurrent_tasks": 3,
    "active_tasks": 1,
    "load": 0.4,
    "registered_at": "2023-06-15T10:00:00Z",
}


@router.post(
    "/devices/register",
    **operation(
        "register_device",
        "Register a device",
        tag=_TAG,
        roles=JOINERS,
        body=Body(
            DeviceRegistration,
            {
                "device_id": "worker-001",
                "device_name": "Worker Node 1",
                "host": "192.168.1.101",
                "port": 8000,
            },
        ),
        success=Success(
            RegisteredDevice,
            {
                "device_id": "worker-001",
                "node_id": "worker-001",
                "status": "online",
                "token": examples.REGISTERED["token"],
                "session": 1,
                "registered_at": "2023-06-15T10:00:00Z",
                "heartbeat_interval": 30.0,
            },
            201,
            "It is registered.",
        ),
        errors=(409,),
    ),
)
async def register_device(request: Request) -> Response:
    """The answer has the token for its later calls."""
    told = await _REGISTRATION.read(request)
    registered = await register_node(context_of(request), told.as_node())
    return answer(
        RegisteredDevice(
            device_id=told.device_id,
            node_id=registered.node_id,
            status=registered.initial_status,
            token=registered.token,
            session=registered.session,
            registered_at=moment(registered.registration_time),
            heartbeat_interval=registered.heartbeat_interval,
        ),
        201,
    )


@router.get(
    "/devices",
    **operation(
        "list_devices",
        "List devices",
        tag=_TAG,
        roles=VIEWERS,
        success=Success(DevicesAnswer, {"devices": [_DEVICE_EXAMPLE], "next_cursor": None}),
    ),
)
async def list_devices(
    request: Request,
    status: NodeStatuses = [],  # noqa: B006 - FastAPI copies it
    cursor: NodeCursor = None,
    limit: Limit = 100,
) -> Response:
    """A page of devices."""
    query = NodeQuery(statuses=tuple(status), cursor=cursor, limit=limit)
    page = await context_of(request).store.list_nodes(query)
    devices = [device_shape(node) for node in page.nodes]
    return answer(DevicesAnswer(devices, page.cursor))


@router.put(
    "/devices/{device_id}/status",
    **operation(
        "set_device_status",
        "Change the status of a device",
        tag=_TAG,
        roles=None,
        node_token=True,
        description=f"For the device itself, and the roles {' and '.join(sorted(OPERATORS))}.",
        body=Body(DeviceStatus, {"status": "maintenance"}),
        success=Success(DeviceShape, {**_DEVICE_EXAMPLE, "status": "maintenance"}),
        errors=(401, 403, 404, 409),
    ),
)
async def set_device_status(request: Request, device_id: DeviceId) -> Response:
    """Draining finishes what runs; offline hands it over at once."""
    device = await device_or_operator(request, device_id)
    with naming_statuses(DeviceStatusName):
        wanted = await _STATUS.read(request)
    return answer(device_shape(await _move(context_of(request), device.id, wanted.status)))


@router.post(
    "/devices/{device_id}/heartbeat",
    **operation(
        "send_device_heartbeat",
        "Send a heartbeat",
        tag=_TAG,
        roles=None,
        node_token=True,
        description=f"For the device itself, and the roles {' and '.join(sorted(OPERATORS))}.",
        body=Body(DeviceHeartbeat, examples.HEARTBEAT, required=False),
        success=Success(HeartbeatAnswer, {**examples.HEARTBEAT_ANSWER, "node_id": "worker-001"}),
        errors=(401, 403, 404, 409),
    ),
)
async def send_device_heartbeat(request: Request, device_id: DeviceId) -> Response:
    """The answer has the status of the device from now on."""
    device = await device_or_operator(request, device_id)
    context = context_of(request)
    told = await heartbeat_of(context, device, await _HEARTBEAT.read(request))
    return answer(await heartbeat(context, device.id, told))


@router.get(
    "/devices/{device_id}/stats",
    **operation(
        "get_device_stats",
        "How a device fares",
        tag=_TAG,
        roles=VIEWERS,
        success=Success(NodeStatsShape),
        errors=(404,),
    ),
)
async def get_device_stats(request: Request, device_id: DeviceId) -> Response:
    """Numbers over its latest executions."""
    context = context_of(request)
    device = await known_device(context, device_id)
    return answer(node_stats_shape(await node_stats(context, device.id)))


async def _move(context: ControlContext, node_id: str, status: str) -> Node:
    node = await known_device(context, node_id)
    return node if node.status == status else await _STEPS[status](context, node.id)
