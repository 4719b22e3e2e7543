"""The content of a crawl store on Redis, as copies."""

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Any, Self

import msgspec

from crawlmesh.adapters.redis.crawl_store.address import parse_address
from crawlmesh.adapters.redis.crawl_store.crawl_store import crawl_row
from crawlmesh.adapters.redis.crawl_store.links import packed
from crawlmesh.adapters.redis.crawl_store.server import Server
from crawlmesh.adapters.redis.crawl_store.settlements import limits_blob, state_blob
from crawlmesh.adapters.redis.crawl_transfer.entries import packed_link, packed_skip
from crawlmesh.adapters.redis.crawl_transfer.reading import Rows
from crawlmesh.errors import UsageError
from crawlmesh.model.copies import (
    CrawlCopy,
    HostCopy,
    LinkCopy,
    Sequences,
    ShareCopy,
    SkipCopy,
    TemplateCopy,
)
from crawlmesh.model.crawl import Crawl, Dedup
from crawlmesh.ports.clock import Clock

_LINKS = 1_000  # in one script: others wait for it
_KEYS = 1_000  # that are taken away at once
_GROUPS = {"by_outcome": "outcome", "by_status": "status", "by_rule": "rule", "by_reason": "reason"}


class RedisCrawlTransfer:
    """A `CrawlTransfer` of a database that nobody else works on."""

    def __init__(self, server: Server, clock: Clock | None) -> None:
        self._server = server
        self._clock = clock
        self._rows = Rows(server)
        self._rounds: dict[str, int] = {}  # of crawls, by id

    @classmethod
    async def open(cls, address: str, clock: Clock | None = None, *, patience: float = 10.0) -> Self:
        """Connect to a server. Raises StoreError, or SettingError about the address.

        `clock` stands in for the server's time, in tests.
        """
        server = await Server.open(parse_address(address), clock, patience, 4)
        if server.partitions != 1:
            await server.aclose()
            raise UsageError(
                f"The Redis database at {server.address} is spread over {server.partitions} partitions; only "
                "one that has a single partition can be moved, or moved into."
            )
        return cls(server, clock)

    async def now(self) -> float:
        """See CrawlTransfer.now."""
        if self._clock:
            return self._clock.now()
        seconds, microseconds = await self._server.time()
        return seconds + microseconds / 1_000_000

    async def crawls(self) -> list[CrawlCopy]:
        """See CrawlTransfer.crawls."""
        copies = await self._rows.crawls()
        for copy in copies:
            self.refuse(copy.crawl)
        return copies

    async def hosts(self) -> AsyncIterator[list[HostCopy]]:
        """See CrawlTransfer.hosts."""
        async for batch in self._rows.hosts(await self.now()):
            yield batch

    def links(self) -> AsyncIterator[list[LinkCopy]]:
        """See CrawlTransfer.links."""
        return self._rows.links()

    def skips(self) -> AsyncIterator[list[SkipCopy]]:
        """See CrawlTransfer.skips."""
        return self._rows.skips()

    def templates(self) -> AsyncIterator[list[TemplateCopy]]:
        """See CrawlTransfer.templates."""
        return self._rows.templates()

    def shares(self) -> AsyncIterator[list[ShareCopy]]:
        """See CrawlTransfer.shares."""
        return self._rows.shares()

    async def sequences(self) -> Sequences:
        """See CrawlTransfer.sequences."""
        return await self._rows.sequences()

    async def leased_for(self) -> float:
        """See CrawlTransfer.leased_for."""
        last = await self._server.command(0, "ZRANGE", "le", -1, -1, "WITHSCORES")
        return max(0.0, float(last[1]) - await self.now()) if last else 0.0

    async def is_empty(self) -> bool:
        """See CrawlTransfer.is_empty."""
        return await self._rows.is_empty()

    async def clear(self) -> None:
        """See CrawlTransfer.clear."""
        await self._server.clear(0, _KEYS)
        self._rounds.clear()

    def refuse(self, crawl: Crawl) -> None:
        """See CrawlTransfer.refuse. Filters here have a layout of their own, and done links are forgotten."""
        if crawl.dedup is Dedup.BLOOM:
            raise UsageError(
                f'The crawl {crawl.id!r} has dedup = "bloom", and Bloom filters cannot be moved to Redis or '
                "from it: their bits lie differently there, and links that are done are forgotten. Let the "
                "crawl end, delete it, and move then."
            )

    async def put_hosts(self, hosts: Sequence[HostCopy]) -> None:
        """See CrawlTransfer.put_hosts."""
        for part in _parts(hosts):
            blobs = [_host_blobs(host) for host in part]
            rows = packed([_host_row(host) for host in part])
            await self._server.run("load_hosts", 0, rows, *(blob for pair in blobs for blob in pair))

    async def put_crawls(self, crawls: Sequence[CrawlCopy]) -> None:
        """See CrawlTransfer.put_crawls."""
        for copy in crawls:
            self._rounds[copy.crawl.id] = int(copy.revisits)
            row = msgspec.msgpack.decode(crawl_row(copy.crawl))
            row[5] = int(copy.revisits)  # the round
            await self._server.run("create", 0, 0, packed(row), msgspec.json.encode(copy.crawl))
            await self._put_counters(copy)

    async def put_links(self, links: Sequence[LinkCopy]) -> None:
        """See CrawlTransfer.put_links."""
        for crawl_id, mine in _by_crawl(links).items():
            for part in _parts(mine):
                await self._put_links(crawl_id, part)

    async def put_skips(self, skips: Sequence[SkipCopy]) -> None:
        """See CrawlTransfer.put_skips."""
        for crawl_id, mine in _by_crawl(skips).items():
            for part in _parts(mine):
                arguments = [blob for skip in part for blob in (skip.fingerprint, packed_skip(skip))]
                await self._server.run("load_skips", 0, crawl_id, *arguments)

    async def put_templates(self, templates: Sequence[TemplateCopy]) -> None:
        """See CrawlTransfer.put_templates."""
        for crawl_id, mine in _by_crawl(templates).items():
            number = await self._number(crawl_id)
            for part in _parts(mine):
                fields = [
                    value for copy in part for value in (copy.template.to_bytes(8, "little"), copy.links)
                ]
                await self._server.command(0, "HSET", f"tp:{number}", *fields)

    async def put_shares(self, shares: Sequence[ShareCopy]) -> None:
        """See CrawlTransfer.put_shares."""
        for crawl_id, mine in _by_crawl(shares).items():
            for part in _parts(mine):
                rows = [(each.host, each.done, each.dead, each.requests, each.elapsed) for each in part]
                await self._server.run("load_shares", 0, crawl_id, packed(rows))

    async def finish(self, sequences: Sequences) -> None:
        """See CrawlTransfer.finish."""
        own = await self.sequences()
        fence, link = max(own.fence, sequences.fence), max(own.link, sequences.link)
        await self._server.command(0, "HSET", "", "fence", fence, "link", link)

    async def aclose(self) -> None:
        """See CrawlTransfer.aclose."""
        await self._server.aclose()

    async def _put_links(self, crawl_id: str, links: Sequence[LinkCopy]) -> None:
        hosts: dict[str, int] = {}
        rows, blobs = [], []
        for link in links:
            ready = packed_link(link, self._rounds[crawl_id])
            rows.append((hosts.setdefault(link.host, len(hosts)), ready.rank, ready.stands, ready.due))
            blobs += [link.fingerprint, ready.entry, ready.record]
        await self._server.run("load_links", 0, crawl_id, packed(list(hosts)), packed(rows), *blobs)

    async def _put_counters(self, copy: CrawlCopy) -> None:
        fields: list[Any] = []
        for name, value in msgspec.to_builtins(copy.progress).items():
            if isinstance(value, dict):
                for key, count in value.items():
                    fields += [f"{_GROUPS[name]}/{key}", count]
            elif name not in ("skipped", "filter") and value:
                fields += [name, value]
        if fields:
            await self._server.command(0, "HSET", f"c:{await self._number(copy.crawl.id)}", *fields)

    async def _number(self, crawl_id: str) -> int:
        return int(await self._server.command(0, "HGET", "numbers", crawl_id))


def _parts(rows: Sequence[Any]) -> list[Sequence[Any]]:
    return [rows[start : start + _LINKS] for start in range(0, len(rows), _LINKS)]


def _by_crawl(rows: Sequence[Any]) -> dict[str, list[Any]]:
    parts: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        parts[row.crawl_id].append(row)
    return parts


def _host_row(copy: HostCopy) -> tuple[Any, ...]:
    if copy.state is None:
        return (copy.host, False, 0, 0, False, 0)
    return (copy.host, True, copy.state.delay, copy.state.slots, copy.state.exclusive, copy.ready_at)


def _host_blobs(copy: HostCopy) -> tuple[bytes, bytes]:
    return b"" if copy.state is None else state_blob(copy.state), limits_blob(copy.limits)
