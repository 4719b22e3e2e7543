"""What happened, told to the event bus: every event, and the result of each task that ended."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from crawlmesh.control.bus_bodies import BusBodies
from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.errors import ChannelError
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.query import EventQuery
from crawlmesh.model.task import Task
from crawlmesh.observability.metrics import MESSAGES_PUBLISHED
from crawlmesh.ports.task_channel import ChannelMessage, TaskChannel
from crawlmesh.protocol.channel_messages import EVENTS, RESULTS, TaskEnded

_POSITION = "event_bus"
_BATCH = 500
LONGEST_WAIT = 10.0  # seconds; events wake it
PAUSE_AFTER_FAILURE = 1.0  # seconds
TASK_ENDS = (  # events with which a task may have ended
    EventType.TASK_COMPLETED,
    EventType.TASK_FAILED,
    EventType.TASK_TIMEOUT,
    EventType.TASK_STATUS_CHANGED,
)


class PublishEvents(LeaderLoop):
    """Follows the journal from where the last leader was; what was told in between two kills comes twice."""

    def __init__(self, context: ControlContext, lead: Lead, channel: TaskChannel, bodies: BusBodies) -> None:
        super().__init__(context, lead)
        self._channel = channel
        self._bodies = bodies
        self._position: int | None = None  # None: not read yet
        self._seen = 0  # of the topic `events`
        self._failed = False

    def interval(self) -> float:
        """Seconds until it looks without being woken."""
        return LONGEST_WAIT

    async def pause(self, done: int) -> None:
        """Go on at once while there is something to tell, else wait to be woken."""
        if done or self._failed:
            await asyncio.sleep(PAUSE_AFTER_FAILURE if self._failed else 0.0)
        else:
            await self.context.store.wait("events", self._seen, self.interval())

    async def run_once(self, now: float) -> int:  # noqa: ARG002
        """Publish what follows. Returns how many events."""
        store = self.context.store
        self._seen = store.mark("events")
        if self._position is None:
            self._position = await store.position(_POSITION)
        events = await store.events(EventQuery(after=self._position, limit=_BATCH))
        if not events:
            return 0
        try:
            await self._publish(events)
        except ChannelError:
            self._failed = True  # WatchBrokers tells that it is away
            return 0
        self._failed = False
        await store.keep_position(
            _POSITION, events[-1].id, leader_fence=self.lead.fence(), now=self.context.clock.now()
        )
        self._position = events[-1].id
        return len(events)

    async def _publish(self, events: Sequence[Event]) -> None:
        messages = [
            ChannelMessage(
                id=str(event.id), body=self._bodies.event(event), key=event.task_id or event.node_id or ""
            )
            for event in events
        ]
        await self._channel.publish(EVENTS, messages)
        self.context.measurements.add(MESSAGES_PUBLISHED, len(messages), "events")
        results = await self._results(events)
        if results:
            await self._channel.publish(RESULTS, results)
            self.context.measurements.add(MESSAGES_PUBLISHED, len(results), "results")

    async def _results(self, events: Sequence[Event]) -> list[ChannelMessage]:
        """The results of tasks that ended with one of these events, each once."""
        ends = {event.task_id: event.id for event in events if event.type in TASK_ENDS and event.task_id}
        tasks = await self.context.store.tasks_by_id(list(ends)) if ends else []
        return [
            ChannelMessage(id=f"{task.id}:{task.fence}", body=msgspec.json.encode(_ended(task)), key=task.id)
            for task in tasks
            if task.ended
        ]


def _ended(task: Task) -> TaskEnded:
    result = task.result
    return TaskEnded(
        task_id=task.id,
        status=task.status.value,
        task_type=task.task_type,
        project_id=task.project_id,
        workflow_id=task.workflow_id,
        parameters=task.parameters,
        ended_at=_moment(task.completed_at),
        reason=task.reason,
        success=bool(result and result.success),
        error=result.error if result else None,
        metrics=result.metrics if result else {},
        records=f"/api/v1/tasks/{task.id}/records",
    )


def _moment(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
