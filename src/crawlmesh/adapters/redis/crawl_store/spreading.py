"""Work over several partitions of a cluster.

Each of them is atomic for itself. What goes over several is arranged so that it may end anywhere and be done
again.
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
        """First add what live leases found on hosts of other partitions, then settle.

        Who dies between the two loses nothing. Where a lease ends between them, what it found stays added.
        """
        mine: defaultdict[int, list[tuple[int, Settlement]]] = defaultdict(list)
        elsewhere: dict[int, list[_Found]] = {}
        for number, settlement in enumerate(settlements):
            partition = self._of_fence(settlement.fence)
            found = self._by_partition(settlement.discovered, settlement.skipped)
            links, skips = found.pop(partition, ([], []))
            own = msgspec.structs.replace(settlement, discovered=links, skipped=skips)
            mine[partition].append((number, own))
            if found:
                elsewhere[settlement.fence] = [*elsewhere.get(settlement.fence, []), *found.values()]
        await self._add_elsewhere(elsewhere)
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
            mine[self._of_fence(renewal.fence)].append(number)
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
        """Ask one partition after another until nothing more is wanted; each call begins at another one.

        Beside the grant it tells partitions and crawls whose links are not all queued yet.
        """
        partitions = self._server.partitions
        first = next(self._turns)
        asked: dict[int, Granted] = {}
        for step in range(partitions):
            left = _what_is_left(request, *asked.values())
            if left.max_links <= 0 or left.max_batches <= 0:
                break
            partition = (first + step) % partitions
            asked[partition] = await self._lease_at(partition, left)
        batches = tuple(batch for granted in asked.values() for batch in granted.batches)
        moments = [granted.retry_in for granted in asked.values() if granted.retry_in is not None]
        if len(asked) < partitions:
            moments.append(0.0)  # the others may have more
        unfinished = [(place, number) for place, granted in asked.items() for number in granted.unfinished]
        return LeaseGrant(batches, min(moments, default=None)), unfinished

    async def take_budgets_back(self, crawl_id: str) -> None:
        """Let the partitions give back what they have not used of a crawl's pages."""
        returned = await self._server.run_everywhere("budget", clean(crawl_id), "")
        pairs = [number for each in enumerate(returned) for number in each]
        await self._server.run("grant", 0, clean(crawl_id), 0, 0, *pairs)

    async def _lease_at(self, partition: int, request: LeaseRequest) -> Granted:
        granted = await self._lease_once(partition, request, fund_first=True)
        if not granted.dry:
            return granted
        for dry in granted.dry:
            await self._fund(partition, request.crawl_ids[dry], request.max_links)
        return await self._lease_once(partition, request, fund_first=False)

    async def _lease_once(self, partition: int, request: LeaseRequest, *, fund_first: bool) -> Granted:
        most = max(0, min(request.max_batches, request.max_links))
        for _ in range(_FENCE_ATTEMPTS):
            last = await self._server.command(0, "HINCRBY", "", "fence", most + 1)
            numbers = (last - most, int(fund_first))
            answer = await self._server.run("lease", partition, leasing_argument(request), *numbers)
            if answer:
                return grant_from(request, answer)
        return Granted((), 0.0, [], [])

    async def _fund(self, partition: int, crawl_id: str, pages: int) -> None:
        """Get more of a crawl's pages for a partition, also what others do not use."""
        name = clean(crawl_id)
        altogether, more = await self._server.run("grant", 0, name, partition, pages)
        if not more:
            await self.take_budgets_back(crawl_id)
            altogether, more = await self._server.run("grant", 0, name, partition, pages)
        await self._server.run("budget", partition, name, altogether)

    def _of_fence(self, fence: int) -> int:
        return possible_fence(fence) % self._server.partitions

    async def _add_elsewhere(self, found: dict[int, list[_Found]]) -> None:
        """Add what leases found, by their fences, as far as these are alive."""
        fences: defaultdict[int, list[int]] = defaultdict(list)
        for fence in found:
            fences[self._of_fence(fence)].append(fence)
        calls = [self._server.run("alive", place, *map(possible_fence, of)) for place, of in fences.items()]
        links: list[NewLink] = []
        skips: list[SkippedLink] = []
        for of, answers in zip(fences.values(), await _all(*calls), strict=True):
            for fence in (fence for fence, lives in zip(of, answers, strict=True) if lives):
                for some_links, some_skips in found[fence]:
                    links += some_links
                    skips += some_skips
        await self.add(links, skips, strict=False)

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


def _what_is_left(request: LeaseRequest, *granted: Granted) -> LeaseRequest:
    batches = [batch for each in granted for batch in each.batches]
    return msgspec.structs.replace(
        request,
        max_links=request.max_links - sum(len(batch.links) for batch in batches),
        max_batches=request.max_batches - len(batches),
    )
