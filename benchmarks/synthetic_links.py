"""An endless site without a network: pages with links of which a given share is new."""

import random
from hashlib import blake2b

from crawlmesh.model.lease import HostBatch, Settlement
from crawlmesh.model.link import LeasedLink, NewLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind

CRAWL_ID = "synthetic"
BODY_BYTES = 20_000


class SyntheticLinks:
    """Makes links by their number. Links below `known` have been handed out already."""

    def __init__(self, *, hosts: int, links_per_page: int, new_share: float, record_bytes: int) -> None:
        self._hosts = hosts
        self._links_per_page = links_per_page
        self._new_share = new_share
        self._record = b'{"title":"' + b"x" * record_bytes + b'"}'
        self._chooser = random.Random(5)
        self.known = 0

    def seeds(self) -> list[NewLink]:
        """One link for each host."""
        seeds = [self._link(number, 0, None) for number in range(self._hosts)]
        self.known = self._hosts
        return seeds

    def settlement(self, batch: HostBatch, now: float) -> Settlement:
        """All links of a batch were fetched, and their pages' links found."""
        outcomes = [self._outcome(link, now) for link in batch.links]
        discovered = [found for link in batch.links for found in self._found_on(link)]
        return Settlement(fence=batch.fence, outcomes=outcomes, discovered=discovered)

    def _outcome(self, link: LeasedLink, now: float) -> LinkOutcome:
        return LinkOutcome(
            link_id=link.id,
            kind=OutcomeKind.FETCHED,
            attempt=link.attempt,
            http_status=200,
            fetched_at=now,
            elapsed=0.01,
            size=BODY_BYTES,
            record=self._record,
        )

    def _found_on(self, page: LeasedLink) -> list[NewLink]:
        return [self._link(self._next_number(), page.depth + 1, page.id) for _ in range(self._links_per_page)]

    def _next_number(self) -> int:
        if self._chooser.random() < self._new_share:
            self.known += 1
            return self.known - 1
        return self._chooser.randrange(self.known)

    def _link(self, number: int, depth: int, parent_id: int | None) -> NewLink:
        host = f"host-{number % self._hosts}.example"
        url = f"http://{host}/category-{number % 977}/some-product-name-{number}.html"
        fingerprint = blake2b(url.encode(), digest_size=16).digest()
        return NewLink(CRAWL_ID, fingerprint, url, host, depth, parent_id=parent_id)
