"""Making links that came to their end pending again."""

from collections.abc import Sequence

from crawlmesh.adapters.memory.adding import queue
from crawlmesh.adapters.memory.tables import CrawlRow, LinkRow, SettledCounters
from crawlmesh.model.link import LinkState


def revive_dead(crawl: CrawlRow, reason: str | None, fingerprints: Sequence[bytes] | None, now: float) -> int:
    """Make dead links pending again and count them: all, those of a reason, those among these."""
    named = None if fingerprints is None else set(fingerprints)
    dead = [
        link
        for link in sorted(crawl.dead.values(), key=lambda link: link.id)
        if (reason is None or link.reason == reason) and (named is None or link.new.fingerprint in named)
    ]
    for link in dead:
        crawl.settled.by_reason[link.reason] -= 1
        _revive(link, now)
    crawl.settled.by_reason = +crawl.settled.by_reason
    return len(dead)


def start_again(crawl: CrawlRow, now: float) -> int:
    """Begin another round over all links. Returns how many are pending."""
    crawl.settled = SettledCounters()
    crawl.skips.clear()
    crawl.templates.clear()
    for share in crawl.shares.values():
        share.requests, share.elapsed = 0, 0.0
    for link in crawl.links.values():
        if link.state in (LinkState.DONE, LinkState.DEAD):
            _revive(link, now)
    return crawl.states[LinkState.PENDING]


def _revive(link: LinkRow, now: float) -> None:
    link.attempts = 0
    link.history.clear()
    link.move(LinkState.PENDING)
    queue(link, now, now)
