"""`/api/v1/live:stream`: what a dashboard shows, in one stream."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.parameters import LastEventId, StreamAfter
from crawlmesh.api.services import services_of
from crawlmesh.api.shapes.live import LiveEvents, LiveMessage, LiveSnapshot
from crawlmesh.api.sse import live_stream, streamed

router = APIRouter(prefix="/api/v1")

_EXAMPLE = (
    'retry: 2000\n\nevent: snapshot\ndata: {"overview":{"at":"2023-06-15T10:35:20Z"},"point":null}\n\n'
    'id: 4711\nevent: events\ndata: {"items":[{"id":4711,"type":"task.completed",'
    '"at":"2023-06-15T10:35:20Z","task_id":"task-123","data":{}}],"skipped":0,"last_id":4711}\n\n'
)


@router.get(
    "/live:stream",
    **operation(
        "stream_live",
        "Watch the cluster",
        tag="events",
        roles=VIEWERS,
        description=(
            "Server-sent events. `snapshot` has the overview and the newest point of the cluster's series: "
            "at once, then every 2 seconds. `events` has what happened, at most once in a second and at most "
            "200, the newest; it goes on after the header `Last-Event-ID` or the parameter `after`, and "
            "without either it begins with what happens next. With `follow=false` it tells one of each and "
            "ends."
        ),
        success=Success(
            LiveMessage,
            _EXAMPLE,
            description="Snapshots, and events as they happen.",
            media_type="text/event-stream",
        ),
        schemas=(LiveSnapshot, LiveEvents),
    ),
)
async def stream_live(
    request: Request,
    after: StreamAfter = None,
    follow: Annotated[
        bool, Query(description="Whether to go on with what happens; false: end after what there is.")
    ] = True,
    last_event_id: LastEventId = None,
) -> Response:
    """Until the client hangs up or the master stops."""
    services = services_of(request)
    begin = int(last_event_id) if last_event_id is not None else after
    if begin is None:
        begin = await services.context.store.last_event_id()
    return streamed(live_stream(services, begin, follow=follow))
