"""Several clients of one store at once. Needs the flag `shared`."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from crawlmesh.model.host import HostReport
from crawlmesh.model.lease import HostBatch, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    dead,
    fetched,
    new_link,
    new_links,
    retry,
    returned,
    settlement,
    skipped_link,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_batches,
    lease_nothing,
    lease_one,
    set_host,
    settle_one,
    urls_of,
)
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.manual_clock import ManualClock

CLIENTS = 3


class Sharing(CrawlStoreCase):
    """What one client does is true for all others at once."""

    @pytest_asyncio.fixture
    async def clients(
        self, store: CrawlStore, clock: ManualClock, tmp_path: Path
    ) -> AsyncIterator[list[CrawlStore]]:
        """Several clients; skips the test where a store has one owner."""
        if not self.shared:
            pytest.skip("this store has one owner")
        others = [await self.open_store(clock, tmp_path) for _ in range(CLIENTS - 1)]
        yield [store, *others]
        for other in others:
            await other.aclose()

    async def test_a_crawl_is_known_to_all(self, clients: list[CrawlStore]) -> None:
        """Created by one of many that try, changed and deleted by others."""
        new = crawl("new", created_at=2.0)
        created = await asyncio.gather(*(client.create_crawl(new) for client in clients))
        assert sorted(created) == [False] * (CLIENTS - 1) + [True]
        changed = crawl("new", created_at=2.0, max_pages=1)
        await clients[1].update_crawl(changed)
        assert await clients[0].crawls() == [crawl(), changed]
        await clients[0].add(new_links(3, crawl_id="new"))
        assert len((await lease_one(clients[2], "new")).links) == 1
        await clients[2].delete_crawl("new")
        assert [row.id for row in await clients[1].crawls()] == ["crawl"]

    async def test_a_link_is_new_to_one_client(self, clients: list[CrawlStore]) -> None:
        """Whoever brings it, in whichever order, on hosts that all of them meet at once."""
        links = [link for number in range(8) for link in new_links(25, f"h{number}.example")]
        added = await asyncio.gather(*(client.add(_turned(links, at)) for at, client in enumerate(clients)))
        assert sum(added) == 200
        await assert_crawl_invariants(clients[0], "crawl", added=200)

    async def test_two_clients_never_hold_the_same_link(self, clients: list[CrawlStore]) -> None:
        """Nor the same exclusive host, nor the same fence."""
        for number in range(12):
            await clients[0].add(new_links(5, f"h{number}.example"))
        calls = [lease_batches(client, max_batches=3) for client in clients for _ in range(3)]
        batches = [batch for grant in await asyncio.gather(*calls) for batch in grant]
        urls = urls_of(*batches)
        assert len(set(urls)) == len(urls) == 60
        assert len({batch.host.host for batch in batches}) == len(batches) == 12
        assert len({batch.fence for batch in batches}) == 12
        await lease_nothing(clients[1])

    async def test_clients_share_the_slots_of_a_host(self, clients: list[CrawlStore]) -> None:
        """And no more than those."""
        await clients[0].add(new_links(80))
        await set_host(clients[1], await lease_one(clients[1]), exclusive=False, slots=6)
        calls = [lease_batches(client, batch_links=4) for client in clients for _ in range(3)]
        batches = [batch for grant in await asyncio.gather(*calls) for batch in grant]
        assert sum(batch.slots for batch in batches) == 6
        urls = urls_of(*batches)
        assert len(set(urls)) == len(urls)

    async def test_clients_share_a_budget(self, clients: list[CrawlStore]) -> None:
        """Together they stay inside it, though each asks for all of it."""
        await clients[0].update_crawl(crawl(max_pages=13))
        for number in range(10):
            await clients[0].add(new_links(5, f"h{number}.example"))
        calls = [lease_batches(client, max_batches=2) for client in clients for _ in range(2)]
        grants = await asyncio.gather(*calls)
        assert sum(len(batch.links) for grant in grants for batch in grant) == 13

    async def test_clients_share_the_limit_of_a_template(self, clients: list[CrawlStore]) -> None:
        """Every URL over it is skipped once."""
        await clients[0].update_crawl(crawl(max_pages_per_template=7))
        links = new_links(20, template=77)
        added = await asyncio.gather(*(client.add(_turned(links, at)) for at, client in enumerate(clients)))
        assert sum(added) == 7
        progress = await clients[0].progress("crawl")
        assert progress.pending == 7
        again = await clients[0].add(links)
        assert again == 0
        assert (await clients[0].progress("crawl")).added == 7
        await assert_crawl_invariants(clients[0], "crawl", added=7)

    async def test_a_lease_is_settled_by_its_fence(self, clients: list[CrawlStore]) -> None:
        """By whoever knows it, once, and by no other fence."""
        await clients[0].add(new_links(3, "a.example") + new_links(3, "b.example"))
        mine = await lease_one(clients[0], node_id="mine", max_batches=1)
        theirs = await lease_one(clients[1], node_id="theirs", max_batches=1)
        stranger = Settlement(max(mine.fence, theirs.fence) + 1, all_fetched(mine).outcomes)
        assert await clients[1].settle([stranger]) == [False]
        crossed = Settlement(theirs.fence, all_fetched(mine).outcomes, unfinished=_ids(theirs))
        assert await clients[1].settle([crossed]) == [True]
        progress = await clients[0].progress("crawl")
        assert (progress.done, progress.leased) == (0, 6)
        answers = await asyncio.gather(*(client.settle([all_fetched(mine)]) for client in clients))
        assert sorted(answers) == [[False]] * (CLIENTS - 1) + [[True]]
        assert (await clients[2].progress("crawl")).done == 3

    async def test_a_lost_lease_is_refused_to_its_old_holder(
        self, clients: list[CrawlStore], clock: ManualClock
    ) -> None:
        """Another client ended it and has its links by now."""
        holder, master, heir = clients
        await holder.add(new_links(2))
        old = await lease_one(holder, duration=10.0)
        clock.advance(11.0)
        assert await master.expire() == 1
        new = await lease_one(heir)
        assert await holder.settle([all_fetched(old)]) == [False]
        assert await holder.renew([Renewal(old.fence, 60.0)]) == [False]
        await settle_one(heir, all_fetched(new))
        assert (await master.progress("crawl")).pages == 2

    async def test_a_rest_holds_for_all_clients(self, clients: list[CrawlStore], clock: ManualClock) -> None:
        """Whoever reported it."""
        await clients[0].add(new_links(4))
        batch = await lease_one(clients[0], batch_links=1)
        await settle_one(clients[0], all_fetched(batch, report=HostReport(rest=30.0)))
        await lease_nothing(clients[1])
        clock.advance(31.0)
        await lease_one(clients[2])

    async def test_settlements_of_all_clients_keep_the_counters_exact(
        self, clients: list[CrawlStore]
    ) -> None:
        """Though all of them discover and skip the same links at the same moment."""
        await clients[0].add([link for number in range(9) for link in new_links(10, f"h{number}.example")])
        batches = await lease_batches(clients[0])
        found = [new_link(f"https://h{number % 12}.example/found/{number}") for number in range(60)]
        skips = [skipped_link(f"https://skip.example/{number}") for number in range(20)]
        calls = [
            clients[at % CLIENTS].settle([_mixed(batch, _turned(found, at), skips)])
            for at, batch in enumerate(batches)
        ]
        assert await asyncio.gather(*calls) == [[True]] * 9
        progress = await clients[0].progress("crawl")
        assert (progress.done, progress.dead, progress.leased) == (54, 9, 0)
        assert progress.pending == 18 + 9 + 60
        assert progress.by_outcome == {"fetched": 54, "dead": 9, "retry": 18}
        assert (progress.pages, progress.records, progress.bytes) == (54, 54, 5_400)
        assert (progress.skipped, progress.by_reason) == (20, {"http_404": 9})
        await assert_crawl_invariants(clients[1], "crawl", added=150)

    async def test_clients_crawl_side_by_side(self, clients: list[CrawlStore]) -> None:
        """Every page is fetched once, by any of them."""
        await clients[0].add(new_links(5))
        fetched_urls: Counter[str] = Counter()

        async def work(client: CrawlStore) -> None:
            while not (await client.progress("crawl")).finished:
                batches = await lease_batches(client, max_links=12, batch_links=4)
                ending = [_pages_further(batch) for batch in batches]
                assert all(await client.settle(ending))
                fetched_urls.update(urls_of(*batches))

        await asyncio.gather(*(work(client) for client in clients for _ in range(2)))
        progress = await clients[0].progress("crawl")
        assert progress.pages == progress.done == progress.records == len(fetched_urls) > 100
        assert set(fetched_urls.values()) == {1}
        await assert_crawl_invariants(clients[0], "crawl")

    async def test_deleting_a_crawl_while_others_work_on_it(self, clients: list[CrawlStore]) -> None:
        """What they settle is taken or refused; nothing of it stays, and its hosts are free."""
        await clients[0].create_crawl(crawl("gone"))
        for number in range(9):
            await clients[0].add(new_links(3, f"h{number}.example", "gone"))
        batches = await lease_batches(clients[0], "gone")
        calls = [
            clients[at % CLIENTS].settle([all_fetched(batch, discovered=new_links(9, "x.example", "gone"))])
            for at, batch in enumerate(batches)
        ]
        await asyncio.gather(*calls[:5], clients[1].delete_crawl("gone"), *calls[5:])
        assert [row.id for row in await clients[0].crawls()] == ["crawl"]
        await clients[0].create_crawl(crawl("gone"))
        assert (await clients[2].progress("gone")).added == 0
        for number in range(9):
            await clients[0].add(new_links(1, f"h{number}.example"))
        assert len(await lease_batches(clients[1])) == 9


def _turned(items: list[NewLink], step: int) -> list[NewLink]:
    """The same links in another order."""
    middle = len(items) * step // CLIENTS % len(items)
    return items[middle:] + items[:middle]


def _ids(batch: HostBatch) -> tuple[int, ...]:
    return tuple(link.id for link in batch.links)


def _mixed(batch: HostBatch, found: list[NewLink], skips: list[SkippedLink]) -> Settlement:
    """Of ten links six are fetched, one is dead, two are retried and one is returned."""
    first, second, third, fourth, *others = batch.links
    outcomes = [dead(first), retry(second), retry(third, 60.0), returned(fourth), *map(fetched, others)]
    return settlement(batch, *outcomes, discovered=found, skipped=skips)


def _page(url: str) -> int:
    return int(url.rpartition("/")[2])


def _pages_further(batch: HostBatch) -> Settlement:
    found = [
        new_link(f"https://h{number % 7}.example/{number}")
        for link in batch.links
        for number in range(_page(link.url) * 2, _page(link.url) * 3 + 2)
        if number < 150
    ]
    return all_fetched(batch, discovered=found)
