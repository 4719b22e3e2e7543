"""The crawl store of a large cluster: one crawl with millions of records, and hundreds of small ones."""

import random
from collections.abc import Iterator
from typing import Any

import asyncpg
import msgspec

from benchmarks.dashboard.loading import copy, told, without_indexes
from benchmarks.dashboard.sizes import CRAWLS, HOSTS, HOSTS_OF_CRAWL, Sizes
from crawlmesh.adapters.postgres.crawl_store.crawl_store import PostgresCrawlStore
from crawlmesh.adapters.postgres.crawl_store.schema import SCHEMA_NAME
from crawlmesh.adapters.postgres.crawl_store.session import digest_of
from crawlmesh.adapters.postgres.crawl_store.tables import crawl_tables
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.host import HostState
from crawlmesh.rules.url_identity import fingerprint_of

DEAD = {"http_404": 3_000, "http_500": 1_500, "timeout": 400, "dns": 100}
WAITING = 200_000  # links of the large crawl at most
LOOKED_UP = 20  # links whose fingerprints are real, so that one can ask why

# Numbers stand for fingerprints: so rows go into the index at its end, and the load takes minutes.
_LINKS = f"""
INSERT INTO links_1 (number, host, parent, crawl, depth, redirects, priority, fingerprint, found_by, url)
SELECT number, number % {HOSTS_OF_CRAWL} + 1, nullif(number / 20, 0), 1, 2, 0, 5,
    int8send(0) || int8send(number), 'link',
    'https://host-' || (number % {HOSTS_OF_CRAWL}) || '.example/p/' || number
FROM generate_series($1::bigint, $2::bigint) AS number
"""
_OUTCOMES = """
INSERT INTO outcomes_1 (link, fetched_at, elapsed, size, crawl, attempt, http_status, kind)
SELECT number, $3::float8 + number / 1000.0, 0.2, 40000, 1, 1, 200, 'fetched'
FROM generate_series($1::bigint, $2::bigint) AS number
"""
_DEAD = """
INSERT INTO outcomes_1 (link, fetched_at, elapsed, size, crawl, attempt, http_status, kind, reason)
SELECT number, $3::float8 + number / 1000.0, 1.0, 0, 1, 4, $5, 'dead', $4
FROM generate_series($1::bigint, $2::bigint) AS number
"""
_RECORDS = """
INSERT INTO records_1 (link, crawl, data)
SELECT number, 1, convert_to('{"title":"Product ' || number || '","price":' || number % 1000 || '.5}', 'UTF8')
FROM generate_series($1::bigint, $2::bigint) AS number
"""
_QUEUE = f"""
INSERT INTO queue_1 (host, link, crawl, attempt, rank)
SELECT number % {HOSTS_OF_CRAWL} + 1, number, 1, 0, 5 FROM generate_series($1::bigint, $2::bigint) AS number
"""
_AFTERWARDS = """
UPDATE crawls SET own_tables = true WHERE number = 1;
SELECT setval('link_numbers', (SELECT max(number) FROM links_1));
"""


class CrawlRows:
    def __init__(self, sizes: Sizes, crawls: list[str], now: float) -> None:
        self._sizes = sizes
        self._crawls = crawls
        self._now = now
        self._waiting = min(WAITING, sizes.records // 10)
        self._dead = {reason: min(number, sizes.records // 20) for reason, number in DEAD.items()}
        self._random = random.Random(5)

    async def load(self, address: str) -> None:
        store = await PostgresCrawlStore.open(address)
        try:
            for crawl_id in self._crawls[: CRAWLS + 1]:
                await store.create_crawl(Crawl(crawl_id, b"{}", self._now - 7_200.0))
        finally:
            await store.aclose()
        connection = await asyncpg.connect(address, server_settings={"search_path": SCHEMA_NAME})
        try:
            await connection.execute(crawl_tables("_1"))
            with told(f"{HOSTS:,} hosts"):
                await self._hosts(connection)
            await self._large_crawl(connection)
            await copy(connection, "counters", ("crawl", "shard", "name", "value"), self._counters())
            await connection.execute(_AFTERWARDS)
        finally:
            await connection.close()

    async def _hosts(self, connection: asyncpg.Connection) -> None:
        columns: tuple[str, ...] = (
            "digest",
            "name",
            "state",
            "delay",
            "slots",
            "exclusive",
            "ready_at",
            "blocked",
        )
        await copy(connection, "hosts", columns, self._host_rows())
        columns = (
            "crawl", "host", "ready", "waiting", "done", "dead", "requests", "elapsed", "since", "turn_at",
        )  # fmt: skip
        await copy(connection, "shares", columns, self._share_rows())

    def _host_rows(self) -> Iterator[tuple[Any, ...]]:
        for number in range(HOSTS):
            name = f"host-{number}.example"
            state = HostState(name, delay=0.5, exclusive=False, failures=5 if number % 400 == 9 else 0)
            written = msgspec.json.encode(state).decode()
            yield digest_of(name), name, written, 0.5, 4, False, self._now, number % 1000 == 7

    def _share_rows(self) -> Iterator[tuple[Any, ...]]:
        done = self._sizes.records // HOSTS_OF_CRAWL
        waiting = self._waiting // HOSTS_OF_CRAWL
        for host in range(1, HOSTS_OF_CRAWL + 1):
            dead = 2 + (host % 3 == 0)
            yield 1, host, waiting, 0, done, dead, done + dead, done * 0.2, self._now, self._now
        for crawl in range(2, len(self._crawls[: CRAWLS + 1]) + 1):
            for host in self._random.sample(range(HOSTS_OF_CRAWL + 1, HOSTS + 1), 60):
                yield crawl, host, 3, 0, 10, 0, 10, 2.0, self._now, self._now

    async def _large_crawl(self, connection: asyncpg.Connection) -> None:
        records, begun = self._sizes.records, self._now - 7_200.0
        all_links = records + sum(self._dead.values()) + self._waiting
        with told(f"{all_links:,} links"):
            real = [(number, fingerprint_of(url_of(number))) for number in range(1, LOOKED_UP + 1)]
            await connection.execute(_LINKS, 1, all_links)
            await connection.executemany("UPDATE links_1 SET fingerprint = $2 WHERE number = $1", real)
        with told(f"{records:,} outcomes and records"):
            async with without_indexes(connection, "outcomes_1"):
                await connection.execute(_OUTCOMES, 1, records, begun)
                number = records
                for reason, count in self._dead.items():
                    status = int(reason[5:]) if reason.startswith("http_") else None
                    await connection.execute(_DEAD, number + 1, number + count, begun, reason, status)
                    number += count
            await connection.execute(_RECORDS, 1, records)
            await connection.execute(_QUEUE, number + 1, all_links)

    def _counters(self) -> Iterator[tuple[Any, ...]]:
        records, dead = self._sizes.records, sum(self._dead.values())
        counts = {
            "pending": self._waiting,
            "done": records,
            "dead": dead,
            "records": records,
            "bytes": records * 40_000,
            "pages": records,
            "by_outcome/fetched": records,
            "by_outcome/dead": dead,
            "by_status/200": records,
            **{f"by_reason/{reason}": number for reason, number in self._dead.items()},
        }
        for shard in range(8):  # as eight shards have it that share the work
            for name, value in counts.items():
                yield 1, shard, name, value // 8 + (value % 8 if shard == 0 else 0)
        for crawl in range(2, len(self._crawls[: CRAWLS + 1]) + 1):
            for name, value in {"pending": 180, "done": 600, "records": 550, "pages": 600}.items():
                yield crawl, 0, name, value


def url_of(number: int) -> str:
    """The URL of a link of the large crawl. For `why`, one of the first `LOOKED_UP`."""
    return f"https://host-{number % HOSTS_OF_CRAWL}.example/p/{number}"
