"""Reading what takes several calls: the hosts of a crawl, and the ledger of one URL."""

import heapq
from collections.abc import AsyncIterator, Sequence
from itertools import chain

from crawlmesh.adapters.redis.crawl_store.links import FOUND_BY, Entry, entry_from, unpacked
from crawlmesh.adapters.redis.crawl_store.reading import (
    Share,
    dead_link,
    host_progress,
    ledger_entry,
    most_troubled,
    pairs_of,
    skip_entry,
)
from crawlmesh.adapters.redis.crawl_store.server import Server
from crawlmesh.model.crawl import HostProgress
from crawlmesh.model.link import FoundBy
from crawlmesh.model.record import DeadLink, LedgerEntry

_PAGE = 1_000  # shares or links that are read at once
_MOST_HOPS = 100


class Ledger:
    """Reads over all partitions; nothing is changed. Ids of crawls are given as they are stored."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def hosts(self, crawl_id: str, limit: int) -> list[HostProgress]:
        """The troubled ones first. Shares are read page by page, so that others can work meanwhile."""
        troubled: list[tuple[int, bytes, Share]] = []
        for partition in range(self._server.partitions):
            shares = [item async for item in self._shares(partition, crawl_id)]
            troubled += [(partition, host, share) for host, share in most_troubled(shares, limit)]
        troubled.sort(key=lambda item: (-item[2].dead, -item[2].mean_elapsed, item[1]))
        return await self._described(troubled[:limit])

    async def dead_links(self, crawl_id: str, reason: str, after: int, limit: int) -> list[DeadLink]:
        """Those that were given up, over all partitions, in the order of their ids."""
        partitions = range(self._server.partitions)
        found = [await self._dead_of(partition, crawl_id, reason, after, limit) for partition in partitions]
        return heapq.nsmallest(limit, chain.from_iterable(found), key=lambda link: link.link_id)

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """What is known about one URL."""
        answers = await self._server.run_everywhere("explain", crawl_id, fingerprint)
        for answer in sorted(filter(None, answers), key=lambda each: -each[0]):  # links before skips
            if answer[0]:
                return await self._explain_link(crawl_id, *answer[1:])
            parent = await self._link(crawl_id, unpacked(answer[1])[2] or None)
            return skip_entry(answer[1], parent.url if parent else None)
        return None

    async def _dead_of(
        self, partition: int, crawl_id: str, reason: str, after: int, limit: int
    ) -> list[DeadLink]:
        """Those of one partition. Few are looked at in one go, so that others can work meanwhile."""
        links: list[DeadLink] = []
        more = limit > 0
        while more and len(links) < limit:
            asked = (crawl_id, after, limit - len(links), reason, _PAGE)
            more, after, *entries = await self._server.run("dead_links", partition, *asked)
            links += [dead_link(entry_from(blob)) for blob in entries]
        return links

    async def _shares(self, partition: int, crawl_id: str) -> AsyncIterator[tuple[bytes, bytes]]:
        number = await self._server.command(partition, "HGET", "numbers", crawl_id)
        cursor = 0 if number is None else None
        while cursor != 0:
            cursor, page = await self._server.command(
                partition, "HSCAN", f"s:{int(number)}", cursor or 0, "COUNT", _PAGE
            )
            for item in pairs_of(page):
                yield item

    async def _described(self, shares: Sequence[tuple[int, bytes, Share]]) -> list[HostProgress]:
        described: dict[bytes, HostProgress] = {}
        for partition in {share[0] for share in shares}:
            mine = [(host, share) for owner, host, share in shares if owner == partition]
            rows = await self._server.run("rows", partition, *(host for host, _ in mine))
            for at, (host, share) in enumerate(mine):
                described[host] = host_progress(host, share, rows[2 * at], rows[2 * at + 1])
        return [described[host] for _, host, _ in shares]

    async def _explain_link(
        self, crawl_id: str, blob: bytes, crawl_round: int, state: bytes, has_record: int
    ) -> LedgerEntry:
        entry = entry_from(blob)
        ancestors: list[str] = []
        child = entry
        while len(ancestors) < _MOST_HOPS:
            parent = await self._link(crawl_id, child.body[4])
            if parent is None:
                break
            ancestors.append(parent.url)
            if FOUND_BY[child.body[3]] is not FoundBy.REDIRECT:
                break
            child = parent
            if FOUND_BY[child.body[3]] is not FoundBy.REDIRECT:
                break
        return ledger_entry(entry, crawl_round, state, has_record, ancestors)

    async def _link(self, crawl_id: str, link_id: int | None) -> Entry | None:
        if link_id is None:
            return None
        blob = await self._server.run("link", link_id % self._server.partitions, crawl_id, link_id)
        return None if blob is None else entry_from(blob)
