"""What the server holds, as copies."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import msgspec

from crawlmesh.adapters.redis.crawl_store.links import unpacked
from crawlmesh.adapters.redis.crawl_store.reading import Share, progress_from
from crawlmesh.adapters.redis.crawl_store.server import Server
from crawlmesh.adapters.redis.crawl_store.settlements import limits_from, state_from
from crawlmesh.adapters.redis.crawl_transfer.entries import link_copy, skip_copy
from crawlmesh.adapters.redis.crawl_transfer.fingerprints import FingerprintFile
from crawlmesh.model.copies import (
    CrawlCopy,
    HostCopy,
    LinkCopy,
    Sequences,
    ShareCopy,
    SkipCopy,
    TemplateCopy,
)
from crawlmesh.model.crawl import Crawl
from crawlmesh.rules.host_limits import limited

_LISTS = 32  # of 32 links each, in one script
_BUCKETS = 64  # of about 16 fingerprints each
_PAGE = 1_000
_CHUNK = 32  # links in one list
_ROUND, _SKIP_FLOOR = 5, 6  # in the row of a crawl

_decode_crawl = msgspec.json.Decoder(Crawl).decode
_decode_share = msgspec.msgpack.Decoder(Share).decode


class NumberedCrawl(msgspec.Struct, frozen=True):
    """A crawl with what the scripts know it by."""

    number: int
    crawl: Crawl
    round: int
    skip_floor: int  # skips up to this one are forgotten


class Rows:
    """What a database holds that has one partition."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def crawls(self) -> list[CrawlCopy]:
        """All crawls."""
        copies = []
        for each in await self.numbered():
            progress = progress_from([await self._server.run("progress", 0, each.crawl.id)])
            settled = msgspec.structs.replace(
                progress, pending=progress.pending + progress.leased, leased=0, filter=None
            )
            copies.append(CrawlCopy(each.crawl, settled, each.round > 0))
        return copies

    async def numbered(self) -> list[NumberedCrawl]:
        """All crawls with their numbers, oldest first."""
        found = []
        for number, blob in await self._pairs("HGETALL", "definitions"):
            row = unpacked(await self._server.command(0, "HGET", "crawls", int(number)))
            found.append(NumberedCrawl(int(number), _decode_crawl(blob), row[_ROUND], row[_SKIP_FLOOR]))
        return sorted(found, key=lambda each: (each.crawl.created_at, each.number))

    async def links(self) -> AsyncIterator[list[LinkCopy]]:
        """All links with their ledger."""
        for each in await self.numbered():
            places = await self._sequence(each.number, "places")
            with FingerprintFile(places) as prints:
                await self._read_prints(each.number, prints, sign=1)
                for first in range(0, (places + _CHUNK - 1) // _CHUNK, _LISTS):
                    answer = await self._server.run("dump_links", 0, each.number, first, _LISTS)
                    yield [
                        link_copy(
                            each.crawl.id,
                            each.round,
                            prints.at(first * _CHUNK + at // 3 + 1) or b"",
                            *answer[at : at + 3],
                        )
                        for at in range(0, len(answer), 3)
                    ]

    async def skips(self) -> AsyncIterator[list[SkipCopy]]:
        """All skips of the latest rounds that did not become links."""
        for each in await self.numbered():
            places = await self._sequence(each.number, "skips")
            with FingerprintFile(places) as prints:
                await self._read_prints(each.number, prints, sign=-1)
                for chunk in range(each.skip_floor // _CHUNK, (places + _CHUNK - 1) // _CHUNK):
                    blobs = await self._server.command(0, "LRANGE", f"z:{each.number}:{chunk}", 0, -1)
                    numbered = [(chunk * _CHUNK + at, blob) for at, blob in enumerate(blobs, 1)]
                    yield [
                        skip_copy(each.crawl.id, fingerprint, blob)
                        for place, blob in numbered
                        if place > each.skip_floor and (fingerprint := prints.at(place)) is not None
                    ]

    async def templates(self) -> AsyncIterator[list[TemplateCopy]]:
        """All templates."""
        for each in await self.numbered():
            async for page in self._scan(f"tp:{each.number}"):
                yield [
                    TemplateCopy(each.crawl.id, int.from_bytes(template, "little"), int(links))
                    for template, links in page
                ]

    async def shares(self) -> AsyncIterator[list[ShareCopy]]:
        """All shares."""
        leased = await self._leased()
        for each in await self.numbered():
            async for page in self._scan(f"s:{each.number}"):
                yield [
                    _share(each.crawl.id, host, _decode_share(blob), leased[each.number, host.decode()])
                    for host, blob in page
                ]

    async def hosts(self, now: float) -> AsyncIterator[list[HostCopy]]:
        """All hosts; those that are leased rest for their delay from now on."""
        after: bytes = b""
        while answer := await self._server.run("dump_hosts", 0, after, _PAGE):
            yield [_host(*answer[at : at + 4], now=now) for at in range(0, len(answer), 4)]
            after = answer[-4]

    async def sequences(self) -> Sequences:
        """The highest numbers."""
        fence, link = await self._server.command(0, "HMGET", "", "fence", "link")
        return Sequences(int(fence or 0), int(link or 0))

    async def is_empty(self) -> bool:
        """Whether there is nothing that anybody would miss."""
        return not any(
            [await self._server.command(0, "EXISTS", key) for key in ("definitions", "hl", "gone")]
        )

    async def _leased(self) -> Counter[tuple[int, str]]:
        leased: Counter[tuple[int, str]] = Counter()
        for _, blob in await self._pairs("HGETALL", "l"):
            _, host, _, _, links = unpacked(blob)
            leased.update((number, host) for number in (links or ())[::3])
        return leased

    async def _read_prints(self, number: int, prints: FingerprintFile, sign: int) -> None:
        buckets = await self._sequence(number, "buckets")
        for first in range(0, max(1, buckets), _BUCKETS):
            answer = await self._server.run("dump_prints", 0, number, first, _BUCKETS)
            pairs = zip(answer[::2], answer[1::2], strict=True)
            prints.put((int(value) * sign, print_) for print_, value in pairs if int(value) * sign > 0)

    async def _sequence(self, number: int, name: str) -> int:
        return int(await self._server.command(0, "HGET", f"m:{number}", name) or 0)

    async def _scan(self, key: str) -> AsyncIterator[list[tuple[bytes, bytes]]]:
        """The fields of a hash, each once: a scan may tell some of them twice only while others change it."""
        cursor = 0
        seen: set[bytes] = set()
        while True:
            cursor, page = await self._server.command(0, "HSCAN", key, cursor, "COUNT", _PAGE)
            fresh = [item for item in _pairs(page) if item[0] not in seen]
            seen.update(field for field, _ in fresh)
            yield fresh
            if int(cursor) == 0:
                return

    async def _pairs(self, command: str, key: str) -> list[tuple[bytes, bytes]]:
        return _pairs(await self._server.command(0, command, key))


def _pairs(items: Any) -> list[tuple[bytes, bytes]]:
    return list(items.items()) if isinstance(items, dict) else list(zip(items[::2], items[1::2], strict=True))


def _share(crawl_id: str, host: bytes, share: Share, leased: int) -> ShareCopy:
    results = (share.done, share.dead, share.requests, float(share.elapsed))
    return ShareCopy(crawl_id, host.decode(), int(share.queued) + leased, *results)


def _host(host: bytes, row: bytes, state: bytes, limits_blob: bytes, *, now: float) -> HostCopy:
    limits = limits_from(limits_blob)
    if not row:
        return HostCopy(host.decode(), None, 0.0, limits)
    delay, slots, exclusive, ready_at, leases, *_ = unpacked(row)
    known = state_from(host, state, delay, slots)
    if not state:
        known = msgspec.structs.replace(known, exclusive=bool(exclusive))
    if leases:
        ready_at = max(ready_at, now + limited(known, limits).delay)
    return HostCopy(known.host, known, float(ready_at), limits)
