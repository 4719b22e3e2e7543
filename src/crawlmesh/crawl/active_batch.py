"""A host batch while a worker works on it."""

from collections import deque

from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.model.host import HostReport
from crawlmesh.model.lease import HostBatch, Settlement
from crawlmesh.model.link import LeasedLink, NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome


class ActiveBatch:
    """Links still to fetch, requests under way, and what came of the others.

    Moments are on the monotonic clock.
    """

    __slots__ = (
        "closes_at",
        "closing",
        "discovered",
        "fence",
        "gate",
        "links",
        "lost",
        "outcomes",
        "queued",
        "renew_at",
        "repeats",
        "running",
        "skipped",
        "slots",
    )

    def __init__(self, batch: HostBatch, gate: HostGate, closes_at: float, renew_at: float) -> None:
        self.fence = batch.fence
        self.gate = gate
        self.slots = batch.slots
        self.links: deque[LeasedLink] = deque(batch.links)
        self.closes_at = closes_at  # no request is started under this lease after it
        self.renew_at = renew_at
        self.running = 0
        self.queued = False  # whether the dispatcher has it in one of its queues
        self.closing = False
        self.lost = False  # the lease is no longer ours: nothing of this may be settled
        self.repeats: dict[int, int] = {}  # requests made again for a redirect to the same URL
        self.outcomes: list[LinkOutcome] = []
        self.discovered: list[NewLink] = []
        self.skipped: list[SkippedLink] = []

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen under this lease."""
        return self.running == 0 and (self.closing or not self.links)

    def settlement(self, now: float) -> Settlement:
        """The end of this batch; links that were not tried go back."""
        return Settlement(
            self.fence,
            self.outcomes,
            self.discovered,
            self.skipped,
            HostReport(max(0.0, self.gate.next_start - now), self.gate.state),
        )
