"""Making links that came to their end pending again."""

from crawlmesh.adapters.memory.adding import queue
from crawlmesh.adapters.memory.tables import CrawlRow, LinkRow, SettledCounters
from crawlmesh.model.link import LinkState


def revive_dead(crawl: CrawlRow, now: float) -> int:
    """Make all dead links pending again and count them."""
    dead = [link for link in crawl.links.values() if link.state is LinkState.DEAD]
    for link in dead:
        _revive(link, now)
    crawl.settled.by_reason.clear()
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
