"""`/api/v1/events` and `/api/v1/events:stream`."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.bodies import answer
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.pages import Limit
from crawlmesh.api.parameters import HIGHEST_ID, After, EventTypes, LastEventId, StreamAfter, text_filter
from crawlmesh.api.services import context_of, services_of
from crawlmesh.api.shapes.events import EventsAnswer, StreamedEvent, event_shape
from crawlmesh.api.sse import event_stream, streamed
from crawlmesh.model.query import EventQuery

router = APIRouter(prefix="/api/v1")

_STREAM_EXAMPLE = (
    "retry: 2000\n\nid: 4711\nevent: task.completed\n"
    'data: {"id":4711,"type":"task.completed","at":"2023-06-15T10:35:20Z","task_id":"task-123","data":{}}\n\n'
    ": heartbeat\n\n"
)

TaskFilter = Annotated[str | None, text_filter("Only events of this task.")]
NodeFilter = Annotated[str | None, text_filter("Only events of this node.")]


@router.get(
    "/events",
    **operation(
        "list_events",
        "List events",
        tag="events",
        roles=VIEWERS,
        description=(
            "Forwards, go on with `after` = `last_id`; backwards, with `order=desc` and `before` = the id of"
            " the last item."
        ),
        success=Success(EventsAnswer, {"items": [examples.EVENT], "last_id": 4711}),
    ),
)
async def list_events(
    request: Request,
    after: After = 0,
    before: Annotated[
        int | None, Query(ge=0, le=HIGHEST_ID, description="Only what has a lower id than this one.")
    ] = None,
    order: Annotated[
        Literal["asc", "desc"], Query(description="`asc`: the oldest first; `desc`: the newest first.")
    ] = "asc",
    types: EventTypes = [],  # noqa: B006 - FastAPI copies it
    task_id: TaskFilter = None,
    node_id: NodeFilter = None,
    limit: Limit = 100,
) -> Response:
    """Those with ids above `after` and below `before`."""
    query = EventQuery(
        after=after,
        before=before,
        newest_first=order == "desc",
        types=tuple(types),
        task_id=task_id,
        node_id=node_id,
        limit=limit,
    )
    events = await context_of(request).store.events(query)
    last_id = max((event.id for event in events), default=after)
    return answer(EventsAnswer([event_shape(event) for event in events], last_id))


@router.get(
    "/events:stream",
    **operation(
        "stream_events",
        "Listen to events",
        tag="events",
        roles=VIEWERS,
        description=(
            "Server-sent events. Goes on after the header `Last-Event-ID` or the parameter `after`; without "
            "either it begins with what happens next. A comment comes after 15 seconds of silence. With "
            "`follow=false` it tells what is stored, without a position from the first event on, and ends."
        ),
        success=Success(
            StreamedEvent,
            _STREAM_EXAMPLE,
            description="Events as they happen.",
            media_type="text/event-stream",
        ),
    ),
)
async def stream_events(
    request: Request,
    after: StreamAfter = None,
    types: EventTypes = [],  # noqa: B006 - FastAPI copies it
    task_id: TaskFilter = None,
    node_id: NodeFilter = None,
    follow: Annotated[
        bool, Query(description="Whether to go on with what happens; false: end after what is stored.")
    ] = True,
    last_event_id: LastEventId = None,
) -> Response:
    """Until the client hangs up or the master stops, or all is told."""
    services = services_of(request)
    begin = int(last_event_id) if last_event_id is not None else after
    if begin is None:
        begin = await services.context.store.last_event_id() if follow else 0
    query = EventQuery(after=begin, types=tuple(types), task_id=task_id, node_id=node_id)
    return streamed(event_stream(services, query, follow=follow))
