"""Adding links and skips to a crawl."""

from collections.abc import Iterable
from itertools import count

from crawlmesh.adapters.memory.tables import CrawlRow, HostRow, LinkRow, Share
from crawlmesh.adapters.memory.turns import offer
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.link import LinkState, NewLink, SkippedLink


class LinkAdder:
    """Adds links of known crawls; those of unknown ones are passed over."""

    def __init__(
        self, crawls: dict[str, CrawlRow], hosts: dict[str, HostRow], limits: dict[str, HostLimits]
    ) -> None:
        self._crawls = crawls
        self._hosts = hosts
        self._limits = limits
        self._ids = count(1)

    def add(self, links: Iterable[NewLink], skipped: Iterable[SkippedLink], now: float) -> int:
        """Add what is new and count it."""
        added = sum(self._add_link(link, now) for link in links)
        for skip in skipped:
            self._add_skip(skip)
        return added

    def _add_link(self, new: NewLink, now: float) -> bool:
        crawl = self._crawls.get(new.crawl_id)
        if crawl is None or crawl.knows(new.fingerprint):
            return False
        if _over_template_limit(crawl, new):
            self._add_skip(_template_skip(new))
            return False
        link = LinkRow(next(self._ids), new, self._share(crawl, new.host, now))
        crawl.put_link(link)
        crawl.states[LinkState.PENDING] += 1
        if new.template:
            crawl.templates[new.template] += 1
        queue(link, now, now)
        return True

    def _add_skip(self, skip: SkippedLink) -> None:
        crawl = self._crawls.get(skip.crawl_id)
        if crawl is None or skip.fingerprint in crawl.links or skip.fingerprint in crawl.skips:
            return
        crawl.skips[skip.fingerprint] = skip
        crawl.settled.by_rule[skip.rule] += 1

    def _share(self, crawl: CrawlRow, host: str, now: float) -> Share:
        share = crawl.shares.get(host)
        if share is None:
            row = self._hosts.get(host)
            if row is None:
                limits = self._limits.get(host, HostLimits())
                row = self._hosts[host] = HostRow(_first_state(host, crawl.crawl), now, limits)
            share = crawl.shares[host] = Share(crawl, row)
        return share


def queue(link: LinkRow, now: float, not_before: float) -> None:
    """Let a link that is pending wait for its turn."""
    share = link.share
    share.push(link, now, not_before)
    share.host.waiting[link.new.crawl_id] = share
    offer(share)


def _first_state(host: str, crawl: Crawl) -> HostState:
    return HostState(host, delay=crawl.default_delay, slots=crawl.default_slots, exclusive=True)


def _over_template_limit(crawl: CrawlRow, new: NewLink) -> bool:
    limit = crawl.crawl.max_pages_per_template
    return limit is not None and new.template != 0 and crawl.templates[new.template] >= limit


def _template_skip(new: NewLink) -> SkippedLink:
    return SkippedLink(new.crawl_id, new.fingerprint, new.url, "template", new.parent_id, new.depth)
