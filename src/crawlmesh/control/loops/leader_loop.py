"""What all loops have in common."""

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod

from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.errors import NotLeaderError

_PAUSE_AFTER_FAILURE = 1.0  # seconds

_log = logging.getLogger("crawlmesh.MASTER")


class LeaderLoop(ABC):
    """Does one thing again and again while its master leads. Starting and stopping twice is fine.

    A failure is logged and the loop goes on; losing the lead ends it.
    """

    hurries = True  # whether a go that did something is followed by the next one at once

    def __init__(self, context: ControlContext, lead: Lead) -> None:
        self.context = context
        self.lead = lead
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    async def run_once(self, now: float) -> int:
        """Do what is due at this moment (Unix time). Returns how much that was."""

    @abstractmethod
    def interval(self) -> float:
        """Seconds from the end of one go to the next."""

    @property
    def died(self) -> bool:
        """Whether it was started, has ended, and nobody stopped it."""
        return self._task is not None and self._task.done()

    def start(self) -> None:
        """Begin, in the running event loop; or again, where it died."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name=f"loop {type(self).__name__}")

    async def stop(self) -> None:
        """End, wherever it is: every write is whole or not made."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError, Exception):
            await task

    async def pause(self, done: int) -> None:
        """Wait for the next go. `done` is what the last one returned."""
        await asyncio.sleep(0.0 if done and self.hurries else self.interval())

    async def _run(self) -> None:
        while self.lead.holds:
            try:
                await self.pause(await self.run_once(self.context.clock.now()))
            except NotLeaderError as error:
                _log.warning("%s ends: %s", type(self).__name__, error)
                self.lead.give_up()
            except Exception:
                # A loop that ended would stop the cluster without anybody noticing.
                _log.exception("%s failed and goes on", type(self).__name__)
                await asyncio.sleep(_PAUSE_AFTER_FAILURE)
