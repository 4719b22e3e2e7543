"""Who leads: a lease in the store, renewed at a third of its life (O3)."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence

from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.model.change import Leadership
from crawlmesh.model.event import Event, EventType

MakeLoops = Callable[[ControlContext, Lead], Sequence[LeaderLoop]]

_log = logging.getLogger("crawlmesh.MASTER")
_recovery = logging.getLogger("crawlmesh.RECOVER")


class LeaderElection:
    """Takes the lead when it is free, and runs the loops while it has it.

    A master that dies is followed within one lease and a third of it: its lease has to run out, and the
    others ask at every third. One that stops in order resigns, and is followed at the next question.
    """

    def __init__(self, context: ControlContext, holder: str, make_loops: MakeLoops) -> None:
        self._context = context
        self._holder = holder
        self._make_loops = make_loops
        self._lead: Lead | None = None
        self._loops: Sequence[LeaderLoop] = ()
        self._task: asyncio.Task[None] | None = None
        self._listening_since = float("inf")
        self._answered_at = float("-inf")

    @property
    def leads(self) -> bool:
        """Whether this master leads, as far as it knows."""
        return self._lead is not None and self._lead.holds

    @property
    def loops(self) -> Sequence[LeaderLoop]:
        """What runs while it leads."""
        return self._loops

    def start(self) -> None:
        """Begin to ask for the lead. Twice is fine."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="leader election")

    async def stop(self) -> None:
        """Stop the loops and let another master lead at once. Twice is fine."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        if self._lead is not None:
            await self._end()
            await self._context.store.resign(self._holder)

    async def run_once(self, now: float) -> bool:
        """Take or renew the lead, and start or stop the loops accordingly. Whether it leads now."""
        if self._lead is not None and not self._lead.holds:
            await self._end()
        clock = self._context.clock
        duration = self._context.options.leader_lease
        asked_at = clock.monotonic()
        leadership = await self._context.store.lead(self._holder, duration, now)
        self._note_presence(now)
        if leadership is None:
            await self._end()
            return False
        until = asked_at + duration
        if self._lead is not None and self._lead.is_of(leadership.fence):
            self._lead.renew(until)
            self._restart_dead_loops()
        else:
            await self._end()
            await self._begin(leadership, until, now)
        return self.leads

    def _note_presence(self, now: float) -> None:
        """The store answered: nodes could be heard. Too long without that, and they could not."""
        if not 0 <= now - self._answered_at <= self._context.options.leader_lease:
            self._listening_since = now
        self._answered_at = now

    async def _begin(self, leadership: Leadership, until: float, now: float) -> None:
        self._lead = Lead(self._context.clock, leadership.fence, until, self._listening_since)
        try:
            self._loops = self._make_loops(self._context, self._lead)
            for loop in self._loops:
                loop.start()
        except BaseException:
            # To lead without loops would stop the cluster: another shall try, or this one again.
            await self._end()
            await self._context.store.resign(self._holder)
            raise
        _log.info("%s leads with fence %d", self._holder, leadership.fence)
        if leadership.fence > 1:
            _recovery.info("%s took over the lead from the master before it", self._holder)
        await self._tell(leadership, now)

    async def _tell(self, leadership: Leadership, now: float) -> None:
        data = {"leader": self._holder, "fence": leadership.fence}
        try:
            await self._context.store.append_events([Event(type=EventType.LEADER_CHANGED, at=now, data=data)])
        except Exception:
            # Nobody's work depends on this event; the loops run.
            _log.exception("%s leads, but could not tell it", self._holder)

    def _restart_dead_loops(self) -> None:
        for loop in self._loops:
            if loop.died:
                _log.error("%s ended unexpectedly and is started again", type(loop).__name__)
                loop.start()

    async def _end(self) -> None:
        lead, self._lead = self._lead, None
        loops, self._loops = self._loops, ()
        if lead is None:
            return
        lead.give_up()
        self._context.signals.listening = False
        self._context.remembered.fleet = None
        for loop in loops:
            await loop.stop()
        _log.warning("%s does not lead any more", self._holder)

    async def _run(self) -> None:
        while True:
            try:
                await self.run_once(self._context.clock.now())
            except asyncio.CancelledError:
                current = asyncio.current_task()
                if current is None or current.cancelling():
                    raise
                # Something that was waited for was cancelled, not this election.
                _log.exception("%s could not ask for the lead", self._holder)
            except Exception:
                # The store may be away for a moment; the lead runs out by itself where it stays away.
                _log.exception("%s could not ask for the lead", self._holder)
            await asyncio.sleep(self._context.options.leader_lease / 3)
