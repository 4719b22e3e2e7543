"""The records of crawls that ended, told to the event bus."""

import asyncio

from crawlmesh.control.bus_bodies import BusBodies
from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import crawl_progress
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.loops.publish_events import LONGEST_WAIT, PAUSE_AFTER_FAILURE, TASK_ENDS
from crawlmesh.errors import ChannelError
from crawlmesh.model.event import Event
from crawlmesh.model.query import EventQuery
from crawlmesh.model.task import WEB_CRAWL
from crawlmesh.observability.metrics import MESSAGES_PUBLISHED
from crawlmesh.ports.task_channel import ChannelMessage, TaskChannel
from crawlmesh.protocol.channel_messages import RECORDS

_EVENT = "event_bus_records"  # the last event whose task was told
_LINK = "event_bus_records_link"  # the last link of the task that follows
_EVENTS = 100
_RECORDS = 500


class PublishRecords(LeaderLoop):
    """Takes one ended crawl after another, page by page, and goes on there after a kill.

    They are read by link, and links end in any order: so a crawl is told when it has ended, not before.
    """

    def __init__(self, context: ControlContext, lead: Lead, channel: TaskChannel, bodies: BusBodies) -> None:
        super().__init__(context, lead)
        self._channel = channel
        self._bodies = bodies
        self._seen = 0  # of the topic `events`
        self._failed = False

    def interval(self) -> float:
        """Seconds until it looks without being woken."""
        return LONGEST_WAIT

    async def pause(self, done: int) -> None:
        """Go on at once while there is something to tell, else wait to be woken."""
        if self._failed:
            await asyncio.sleep(PAUSE_AFTER_FAILURE)
        elif not done:
            await self.context.store.wait("events", self._seen, self.interval())

    async def run_once(self, now: float) -> int:  # noqa: ARG002
        """Publish what follows. Returns how many events were looked at."""
        store = self.context.store
        self._seen = store.mark("events")
        position = await store.position(_EVENT)
        events = await store.events(EventQuery(after=position, types=tuple(TASK_ENDS), limit=_EVENTS))
        try:
            for event in events:
                await self._tell(event)
        except ChannelError:
            self._failed = True  # WatchBrokers tells that it is away
            return 0
        self._failed = False
        return len(events)

    async def _tell(self, event: Event) -> None:
        tasks = await self.context.store.tasks_by_id([event.task_id] if event.task_id else [])
        if tasks and tasks[0].ended and tasks[0].task_type == WEB_CRAWL:
            await self._tell_crawl(tasks[0].id)
        await self._keep(_LINK, 0)  # first: a kill in between tells a crawl twice rather than skip a part
        await self._keep(_EVENT, event.id)

    async def _tell_crawl(self, task_id: str) -> None:
        if await crawl_progress(self.context, task_id) is None:
            return
        after = await self.context.store.position(_LINK)
        while records := await self.context.crawl_store.records(task_id, after, _RECORDS):
            messages = [
                ChannelMessage(
                    id=f"{task_id}:{record.link_id}", body=self._bodies.record(task_id, record), key=task_id
                )
                for record in records
            ]
            await self._channel.publish(RECORDS, messages)
            self.context.measurements.add(MESSAGES_PUBLISHED, len(messages), "records")
            after = records[-1].link_id
            await self._keep(_LINK, after)

    async def _keep(self, name: str, number: int) -> None:
        await self.context.store.keep_position(
            name, number, leader_fence=self.lead.fence(), now=self.context.clock.now()
        )
