"""Work over several partitions of a cluster: each of them is atomic for itself, and what goes over several is
arranged so that it may end anywhere and be done again.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Sequence
from itertools import count
from typing import Any

import msgspec

from crawlmesh.adapters.redis.crawl_store.links import clean, load_of
from crawlmesh.adapters.redis.crawl_store.partitions import partition_of_host
from crawlmesh.adapters.redis.crawl_store.server import Server
from crawlmesh.adapters.redis.crawl_store.settlements import (
    Granted,
    grant_from,
    leasing_argument,
    possible_fence,
    renewing_arguments,
    settling_arguments,
)
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink

_FENCE_ATTEMPTS = 10  # at a lease: others may have got later fences of the same partition first

_Found = tuple[list[NewLink], list[SkippedLink]]


class Spreading:
    """The calls of a store that go to several partitions."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._turns = count()

    async def add(
        self, links: Sequence[NewLink], skipped: Sequence[SkippedLink], *, strict: bool
    ) -> list[int]:
        """Add links where their hosts are. Returns how many were new in each place, -1 for unknown crawls."""
        calls = [
            self._server.run("add", partition, int(strict), *load_of(*found))
            for partition, found in self._by_partition(links, skipped).items()
        ]
        return [int(added) for added in await _all(*calls)]

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """First add what was found on hosts of other partitions, then settle: who dies between loses nothing."""
        mine: defaultdict[int, list[tuple[int, Settlement]]] = defaultdict(list)
        elsewhere: _Found = ([], [])
        for number, settlement in enumerate(settlements):
            partition = possible_fence(settlement.fence) % self._server.partitions
            found = self._by_partition(settlement.discovered, settlement.skipped)
            links, skips = found.pop(partition, ([], []))
            for others in found.values():
                elsewhere[0].extend(others[0])
                elsewhere[1].extend(others[1])
            own = msgspec.structs.replace(settlement, discovered=links, skipped=skips)
            mine[partition].append((number, own))
        await self.add(*elsewhere, strict=False)
        calls = [
            self._server.run("settle", partition, *settling_arguments([own for _, own in owned]))
            for partition, owned in mine.items()
        ]
        answers: dict[int, bool] = {}
        for owned, taken in zip(mine.values(), await _all(*calls), strict=True):
            answers.update((number, bool(each)) for (number, _), each in zip(owned, taken, strict=True))
        return [answers[number] for number in range(len(settlements))]

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """Each where its lease is."""
        mine: defaultdict[int, list[int]] = defaultdict(list)
        for number, renewal in enumerate(renewals):
            mine[possible_fence(renewal.fence) % self._server.partitions].append(number)
        calls = [
            self._server.run(
                "renew", partition, *renewing_arguments([renewals[number] for number in numbers])
            )
            for partition, numbers in mine.items()
        ]
        answers: dict[int, bool] = {}
        for numbers, taken in zip(mine.values(), await _all(*calls), strict=True):
            answers.update(zip(numbers, map(bool, taken), strict=True))
        return [answers[number] for number in range(len(renewals))]

    async def lease(self, request: LeaseRequest) -> tuple[LeaseGrant, list[tuple[int, int]]]:
        """Ask one partition after another in turn, then all others at once for what is still wanted.

        Beside the grant it tells partitions and crawls whose links are not all queued yet.
        """
        partitions = self._server.partitions
        first = next(self._turns) % partitions
        asked = {first: await self._lease_at(first, request)}
        left = _what_is_left(request, asked[first])
        others = [(first + step) % partitions for step in range(1, partitions)]
        shares = _shares(left, len(others))
        calls = [self._lease_at(other, share) for other, share in zip(others, shares, strict=True)]
        asked.update(zip(others, await _all(*calls), strict=True))
        batches = tuple(batch for granted in asked.values() for batch in granted.batches)
        moments = [granted.retry_in for granted in asked.values() if granted.retry_in is not None]
        unfinished = [(place, number) for place, granted in asked.items() for number in granted.unfinished]
        return LeaseGrant(batches, min(moments, default=None)), unfinished

    async def take_budgets_back(self, crawl_id: str) -> None:
        """Let the partitions give back what they have not used of a crawl's pages."""
        returned = await self._server.run_everywhere("budget", clean(crawl_id), "")
        pairs = [number for each in enumerate(returned) for number in each]
        await self._server.run("grant", 0, clean(crawl_id), 0, 0, *pairs)

    async def _lease_at(self, partition: int, request: LeaseRequest) -> Granted:
        granted = await self._lease_once(partition, request)
        wanted = _what_is_left(request, granted)
        if not granted.dry or wanted.max_links <= 0 or wanted.max_batches <= 0:
            return granted
        found = [await self._fund(partition, request.crawl_ids[dry], wanted.max_links) for dry in granted.dry]
        if not any(found):
            return granted
        again = await self._lease_once(partition, wanted)
        return Granted(granted.batches + again.batches, again.retry_in, again.unfinished, again.dry)

    async def _lease_once(self, partition: int, request: LeaseRequest) -> Granted:
        most = min(request.max_batches, max(0, request.max_links))
        for _ in range(_FENCE_ATTEMPTS):
            last = await self._server.command(0, "HINCRBY", "", "fence", most + 1)
            answer = await self._server.run("lease", partition, leasing_argument(request), last - most)
            if answer:
                return grant_from(request, answer)
        return Granted((), 0.0, [], [])

    async def _fund(self, partition: int, crawl_id: str, pages: int) -> int:
        """Get more of a crawl's pages for a partition, also what others do not use. Returns how many."""
        name = clean(crawl_id)
        altogether, more = await self._server.run("grant", 0, name, partition, pages)
        if not more:
            await self.take_budgets_back(crawl_id)
            altogether, more = await self._server.run("grant", 0, name, partition, pages)
        await self._server.run("budget", partition, name, altogether)
        return int(more)

    def _by_partition(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink]) -> dict[int, _Found]:
        found: defaultdict[int, _Found] = defaultdict(lambda: ([], []))
        for link in links:
            found[partition_of_host(link.host, self._server.partitions)][0].append(link)
        for skip in skipped:
            found[partition_of_host(_host_in(skip.url), self._server.partitions)][1].append(skip)
        return dict(found)


async def _all(*calls: Awaitable[Any]) -> list[Any]:
    """The answers of all calls; where some fail, the first failure once all have ended."""
    answers = await asyncio.gather(*calls, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return list(answers)


def _host_in(url: str) -> str:
    parts = url.split("/", 3)
    return parts[2] if len(parts) > 2 else url


def _what_is_left(request: LeaseRequest, granted: Granted) -> LeaseRequest:
    return msgspec.structs.replace(
        request,
        max_links=request.max_links - sum(len(batch.links) for batch in granted.batches),
        max_batches=request.max_batches - len(granted.batches),
    )


def _shares(request: LeaseRequest, parts: int) -> list[LeaseRequest]:
    """The request in parts that are as equal as can be."""
    shares = []
    for part in range(parts):
        links = (request.max_links + part) // parts
        batches = (request.max_batches + part) // parts
        shares.append(msgspec.structs.replace(request, max_links=links, max_batches=batches))
    return shares
