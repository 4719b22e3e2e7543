"""A host batch while a worker works on it."""

from collections import deque
from collections.abc import Set as AbstractSet

from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.crawl.pace import crawls_of
from crawlmesh.model.host import HostReport
from crawlmesh.model.lease import HostBatch, Settlement
from crawlmesh.model.link import LeasedLink, NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome


class ActiveBatch:
    """Links still to fetch, requests under way, and what came of the others.

    Moments are on the monotonic clock.
    """

    __slots__ = (
        "_crawl_of",
        "closes_at",
        "closing",
        "crawl_ids",
        "discovered",
        "fence",
        "flush_at",
        "gate",
        "links",
        "lost",
        "outcomes",
        "queued",
        "renew_at",
        "repeats",
        "reported",
        "skipped",
        "slots",
        "under_way",
    )

    def __init__(
        self, batch: HostBatch, gate: HostGate, flush_at: float, closes_at: float, renew_at: float
    ) -> None:
        self.fence = batch.fence
        self.gate = gate
        self.slots = min(batch.slots, gate.slots)
        self.reported = gate.state  # what the store was told, or told us, of the host
        self.links: deque[LeasedLink] = deque(batch.links)
        self.crawl_ids = crawls_of(batch)  # whose links may still be in it, settled ones aside
        mixed = len(self.crawl_ids) > 1
        self._crawl_of = {link.id: link.crawl_id for link in batch.links} if mixed else {}
        self.flush_at = flush_at  # what is finished by then is settled
        self.closes_at = closes_at  # no request waits under this lease for longer
        self.renew_at = renew_at
        self.under_way: set[int] = set()  # ids of links
        self.queued = False  # whether the dispatcher has it in one of its queues
        self.closing = False
        self.lost = False  # the lease is no longer ours: nothing of this may be settled
        self.repeats: dict[int, int] = {}  # requests made again for a redirect to the same URL
        self.outcomes: list[LinkOutcome] = []
        self.discovered: list[NewLink] = []
        self.skipped: list[SkippedLink] = []

    @property
    def running(self) -> int:
        """Requests under way."""
        return len(self.under_way)

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen under this lease."""
        return not self.under_way and (self.closing or not self.links)

    def holds(self, crawl_id: str) -> bool:
        """Whether links of a crawl are still to be fetched, or under way."""
        if not self._crawl_of:
            return crawl_id in self.crawl_ids and bool(self.links or self.under_way)
        return any(link.crawl_id == crawl_id for link in self.links) or any(
            self._crawl_of[link_id] == crawl_id for link_id in self.under_way
        )

    def has_any_of(self, link_ids: AbstractSet[int]) -> bool:
        """Whether one of these links is to be fetched, under way, or not settled yet."""
        return (
            not self.under_way.isdisjoint(link_ids)
            or any(link.id in link_ids for link in self.links)
            or any(outcome.link_id in link_ids for outcome in self.outcomes)
        )

    def drop_links(self, crawl_id: str) -> None:
        """Fetch nothing more of a crawl: what is not under way goes back with the next settlement."""
        if crawl_id in self.crawl_ids:
            self.links = deque(link for link in self.links if link.crawl_id != crawl_id)

    def drop_requests(self, crawl_id: str) -> None:
        """Wait no longer for what is under way of a crawl: it goes back, too."""
        if crawl_id not in self.crawl_ids:
            return
        if not self._crawl_of:
            self.under_way.clear()
        else:
            self.under_way -= {number for number in self.under_way if self._crawl_of[number] == crawl_id}

    def settlement(self, now: float) -> Settlement:
        """What there is to settle since the last time; the end of the batch, once it has ended."""
        state = self.gate.state
        news = None if state == self.reported else state  # old news would undo what others report meanwhile
        self.reported = state
        settlement = Settlement(
            self.fence,
            self.outcomes,
            self.discovered,
            self.skipped,
            HostReport(max(0.0, self.gate.next_start - now), news),
            () if self.ended else (*self.under_way, *(link.id for link in self.links)),
        )
        self.outcomes, self.discovered, self.skipped = [], [], []
        if self._crawl_of:
            left = {link.crawl_id for link in self.links}
            self.crawl_ids = frozenset(left | {self._crawl_of[number] for number in self.under_way})
        return settlement
