"""What nodes say: register, heartbeat, pull, report, logs, leave, crawl-store, rotate-token.

Fields that this master does not know are passed over, so that newer nodes can speak to it.
"""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Header
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import ADMINS, JOINERS, calling_node
from crawlmesh.api.bodies import BodyReader, answer, nothing, read_body
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.paths import NodeId
from crawlmesh.api.services import context_of, services_of, unless_closing
from crawlmesh.api.shapes.nodes import NewToken
from crawlmesh.control.append_logs import append_logs
from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.leave import leave
from crawlmesh.control.pull import pull
from crawlmesh.control.register_node import register_node
from crawlmesh.control.report import report
from crawlmesh.control.rotate_token import rotate_token
from crawlmesh.control.sessions import node_in_session
from crawlmesh.observability.metrics import ENDED, KEPT_LINKS, PAGES, Measurements
from crawlmesh.protocol.crawl_call_answers import answer_calls
from crawlmesh.protocol.node_messages import (
    HeartbeatAnswer,
    HeartbeatMessage,
    LogMessage,
    PullAnswer,
    PullMessage,
    Registered,
    Registration,
    ReportAnswer,
    ReportMessage,
)
from crawlmesh.protocol.texts import Count

router = APIRouter(prefix="/api/v1")


class LeaveMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A node says goodbye; with `finishing`, it takes nothing new and leaves when its work is done."""

    session: Count | None = None
    finishing: bool = False


_REGISTRATION = BodyReader(Registration)
_HEARTBEAT = BodyReader(HeartbeatMessage)
_PULL = BodyReader(PullMessage)
_REPORT = BodyReader(ReportMessage)
_LOGS = BodyReader(LogMessage)
_LEAVE = BodyReader(LeaveMessage, required=False)

_TAG = "node protocol"
_MESSAGE_PACK = "application/msgpack"
_EXECUTION = "exec-01HF3Z8Q4V6N2K7M9P1R3T5W7X"


@router.post(
    "/nodes:register",
    **operation(
        "register_node",
        "Register a node",
        tag=_TAG,
        roles=JOINERS,
        description=(
            "A node that is known by its identity is renewed: a new token, the next session. 404: there is "
            "no cluster `cluster_id`."
        ),
        body=Body(Registration, examples.REGISTRATION),
        success=Success(
            Registered, examples.REGISTERED, 201, "It is registered.", {"Location": "The path of the node."}
        ),
        errors=(404, 409),
    ),
)
async def register(request: Request) -> Response:
    """The answer has the token, which is told only here."""
    registered = await register_node(context_of(request), await _REGISTRATION.read(request))
    return answer(registered, 201, {"Location": f"/api/v1/nodes/{registered.node_id}"})


@router.post(
    "/nodes/{node_id:id}:heartbeat",
    **operation(
        "send_heartbeat",
        "Send a heartbeat",
        tag=_TAG,
        roles=None,
        node_token=True,
        body=Body(HeartbeatMessage, examples.HEARTBEAT),
        success=Success(HeartbeatAnswer, examples.HEARTBEAT_ANSWER),
        errors=(409,),
    ),
)
async def send_heartbeat(request: Request, node_id: NodeId) -> Response:
    """The answer has the status of the node from now on."""
    await calling_node(request, node_id)
    return answer(await heartbeat(context_of(request), node_id, await _HEARTBEAT.read(request)))


@router.post(
    "/nodes/{node_id:id}:pull",
    **operation(
        "pull_work",
        "Ask for work",
        tag=_TAG,
        roles=None,
        node_token=True,
        description="A long poll: the answer comes when there is something new, or after `wait` seconds.",
        body=Body(PullMessage, {"session": 1, "known": [], "started": [], "wait": 25.0}),
        success=Success(PullAnswer, {"assignments": [], "stop": [], "gone": [], "status": "online"}),
        errors=(409,),
    ),
)
async def pull_work(request: Request, node_id: NodeId) -> Response:
    """Assignments, what shall stop, and what is no longer this node's."""
    await calling_node(request, node_id)
    services = services_of(request)
    message = await _PULL.read(request)
    found = await unless_closing(services, pull(services.context, node_id, message))
    return answer(PullAnswer() if found is None else found)


@router.post(
    "/nodes/{node_id:id}:report",
    **operation(
        "report_executions",
        "Report executions that ended",
        tag=_TAG,
        roles=None,
        node_token=True,
        description="Repeating it changes nothing. A report under an old fence leaves no trace.",
        body=Body(
            ReportMessage,
            {
                "session": 1,
                "reports": [
                    {
                        "execution_id": _EXECUTION,
                        "fence": 2,
                        "outcome": "completed",
                        "result": {**examples.RESULT, "timestamp": 1686825320.0},
                    }
                ],
            },
        ),
        success=Success(ReportAnswer, {"taken": [True]}),
        errors=(409,),
    ),
)
async def report_executions(request: Request, node_id: NodeId) -> Response:
    """One bool for each report: taken or refused."""
    await calling_node(request, node_id)
    services = services_of(request)
    message = await _REPORT.read(request)
    told = await report(services.context, node_id, message)
    _measure(services.options.measurements, message, told)
    return answer(told)


@router.post(
    "/nodes/{node_id:id}:logs",
    **operation(
        "send_logs",
        "Send lines of logs",
        tag=_TAG,
        roles=None,
        node_token=True,
        body=Body(
            LogMessage,
            {
                "session": 1,
                "lines": [
                    {
                        "execution_id": _EXECUTION,
                        "task_id": "task-123",
                        "at": 1686825072.0,
                        "level": "INFO",
                        "message": "Fetched 15 pages.",
                    }
                ],
            },
        ),
        success=Success(None, status=204, description="They are kept."),
        errors=(409,),
    ),
)
async def send_logs(request: Request, node_id: NodeId) -> Response:
    """Lines of executions that are not this node's are left out."""
    await calling_node(request, node_id)
    await append_logs(context_of(request), node_id, await _LOGS.read(request))
    return nothing()


@router.post(
    "/nodes/{node_id:id}:leave",
    **operation(
        "leave",
        "Say goodbye",
        tag=_TAG,
        roles=None,
        node_token=True,
        body=Body(LeaveMessage, {"session": 1}, required=False),
        success=Success(None, status=204, description="The node is offline, and its work goes to others."),
        errors=(409,),
    ),
)
async def leave_cluster(request: Request, node_id: NodeId) -> Response:
    """What it has not finished is placed anew at once."""
    await calling_node(request, node_id)
    message = await _LEAVE.read(request)
    await leave(context_of(request), node_id, message.session, finishing=message.finishing)
    return nothing()


@router.post(
    "/nodes/{node_id:id}:crawl-store",
    **operation(
        "call_crawl_store",
        "Calls to the crawl store",
        tag=_TAG,
        roles=None,
        node_token=True,
        description="MessagePack, as in `crawlmesh.protocol.crawl_calls`; the calls run side by side.",
        body=Body(None, media_type=_MESSAGE_PACK),
        success=Success(None, media_type=_MESSAGE_PACK),
        errors=(409,),
    ),
)
async def call_crawl_store(
    request: Request,
    node_id: NodeId,
    x_node_session: Annotated[
        int | None, Header(alias="X-Node-Session", ge=0, le=2**63 - 1, description="The session of the node.")
    ] = None,
) -> Response:
    """For workers that cannot reach the store themselves."""
    await calling_node(request, node_id)
    services = services_of(request)
    await node_in_session(services.context, node_id, x_node_session)
    body = await read_body(request, services.options.crawl_store_body_bytes)
    told = await answer_calls(services.context.crawl_store, body, node_id, services.crawl_calls)
    return Response(told, media_type=_MESSAGE_PACK)


@router.post(
    "/nodes/{node_id:id}:rotate-token",
    **operation(
        "rotate_token",
        "Give a node a new token",
        tag=_TAG,
        roles=ADMINS,
        success=Success(NewToken, {"node_id": "node-1a2b3c4d", "token": examples.REGISTERED["token"]}),
        errors=(404, 409),
    ),
)
async def rotate(request: Request, node_id: NodeId) -> Response:
    """The old token is worth nothing from now on."""
    return answer(NewToken(node_id, await rotate_token(context_of(request), node_id)))


def _measure(measurements: Measurements, message: ReportMessage, told: ReportAnswer) -> None:
    for each, taken in zip(message.reports, told.taken, strict=True):
        if taken:
            measurements.add(ENDED, 1, each.outcome)
            metrics = each.result.metrics if each.result else {}
            for metric, name in ((PAGES, "pages_crawled"), (KEPT_LINKS, "known_links_kept")):
                number = metrics.get(name)
                if isinstance(number, int) and number > 0:
                    measurements.add(metric, number)
