"""One transaction: its statements, its moment, the crawls and hosts that it is about."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.locks import CRAWL_LOCK
from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.host import HostState
from crawlmesh.ports.clock import Clock

_REMEMBERED_HOSTS = 200_000
_PATIENCE = 3600.0  # seconds for a statement over a whole crawl

# Locks are taken in the order of their keys, before any row is locked. A key comes from a crawl's id, because
# a crawl that is deleted and created again while one waits for the lock has another number then.
_LOCK_CRAWLS = """
SELECT pg_advisory_xact_lock_shared($1, key) FROM (
    SELECT hashtext(id) AS key FROM unnest($2::text[]) AS named (id)
    UNION SELECT hashtext(crawls.id) FROM leases CROSS JOIN LATERAL unnest(leases.crawls) AS leased (number)
        JOIN crawls ON crawls.number = leased.number WHERE fence = ANY($3::bigint[])
    ORDER BY 1
) AS wanted
"""

_CRAWLS = (
    "SELECT number, crawl, revisits FROM crawls WHERE id = ANY($1::text[]) OR number = ANY($2::integer[])"
)

_KNOWN_HOSTS = "SELECT digest, number FROM hosts WHERE digest = ANY($1::bytea[])"

_NEW_HOSTS = """
INSERT INTO hosts (digest, name, state, delay, slots, exclusive, ready_at)
SELECT digest, name, state, delay, slots, true, ready_at
FROM unnest($1::bytea[], $2::text[], $3::text[], $4::double precision[], $5::integer[],
            $6::double precision[])
    AS given (digest, name, state, delay, slots, ready_at)
ON CONFLICT (digest) DO NOTHING
"""

_encode = msgspec.json.Encoder().encode
_decode_crawl = msgspec.json.Decoder(Crawl).decode


class CrawlRow(msgspec.Struct, frozen=True):
    """A crawl as it stands in its table."""

    number: int
    crawl: Crawl
    revisits: bool  # whether leases carry validators


class Session:
    """A transaction under way."""

    def __init__(
        self, connection: asyncpg.Connection, clock: Clock | None, host_numbers: dict[str, int]
    ) -> None:
        self._connection = connection
        self._clock = clock
        self._now: float | None = None
        self._timeout: float | None = None  # None: the connection's
        self._host_numbers = host_numbers
        self._new_host_numbers: dict[str, int] = {}
        self._known_hosts = (self._host_numbers, self._new_host_numbers)

    async def moment(self) -> float:
        """The store's time, the same for the whole transaction; first asked for once its locks are held."""
        if self._now is None:
            self._now = self._clock.now() if self._clock else await self._server_time()
        return self._now

    async def fetch(self, statement: str, *values: Any) -> list[asyncpg.Record]:
        """All rows of a statement."""
        return await self._connection.fetch(statement, *values, timeout=self._timeout)

    async def one(self, statement: str, *values: Any) -> Any:
        """The first column of the first row, or None."""
        return await self._connection.fetchval(statement, *values, timeout=self._timeout)

    async def run(self, statement: str, *values: Any) -> None:
        """Run a statement for its effect."""
        await self._connection.execute(statement, *values, timeout=self._timeout)

    async def write_rows(self, statement: str, rows: Sequence[tuple[Any, ...]], *values: Any) -> None:
        """Run one statement over many rows, given to it as one array for each column."""
        if rows:
            await self._connection.execute(statement, *zip(*rows, strict=True), *values)

    async def fetch_rows(
        self, statement: str, rows: Sequence[tuple[Any, ...]], *values: Any
    ) -> list[asyncpg.Record]:
        """The same for a statement that answers."""
        return await self._connection.fetch(statement, *zip(*rows, strict=True), *values) if rows else []

    async def lock_crawls(self, crawl_ids: Iterable[str], fences: Iterable[int] = ()) -> None:
        """Keep these crawls, and those that leases have links of, from being deleted or started again."""
        await self.run(_LOCK_CRAWLS, CRAWL_LOCK, list(crawl_ids), list(fences))

    async def lock_crawl_alone(self, crawl_id: str) -> CrawlRow | None:
        """Keep everybody else away from a crawl; None where there is none of this id."""
        await self.run("SELECT pg_advisory_xact_lock($1, hashtext($2))", CRAWL_LOCK, crawl_id)
        return (await self.crawls([crawl_id])).get(crawl_id)

    async def crawls(self, crawl_ids: Iterable[str], numbers: Iterable[int] = ()) -> dict[str, CrawlRow]:
        """Those of these crawls that exist, by their id."""
        rows = [
            CrawlRow(number, _decode_crawl(crawl), revisits)
            for number, crawl, revisits in await self.fetch(_CRAWLS, list(crawl_ids), list(numbers))
        ]
        return {row.crawl.id: row for row in rows}

    async def host_numbers(self, names: Mapping[str, Crawl]) -> dict[str, int]:
        """The numbers of hosts; one that is met for the first time gets its crawl's defaults."""
        found = {name: known[name] for known in self._known_hosts for name in names if name in known}
        if len(found) == len(names):
            return found
        unknown = {_digest(name): name for name in names if name not in found}
        await self._find_hosts(unknown, found)
        new = sorted(item for item in unknown.items() if item[1] not in found)
        if new:
            now = await self.moment()
            rows = [(digest, *_first_state(name, names[name]), now) for digest, name in new]
            await self.write_rows(_NEW_HOSTS, rows)
            await self._find_hosts(dict(new), found)
        return found

    def remember_hosts(self) -> None:
        """The transaction was committed: the numbers that it found are true."""
        if len(self._host_numbers) >= _REMEMBERED_HOSTS:
            self._host_numbers.clear()
        self._host_numbers.update(self._new_host_numbers)

    async def plan_freely(self) -> None:
        """Let the server plan as it likes and take its time, for statements over a whole crawl."""
        for setting in ("enable_seqscan", "enable_hashjoin", "enable_mergejoin"):
            await self.run(f"SET LOCAL {setting} = on")
        self._timeout = _PATIENCE

    async def _find_hosts(self, digests: Mapping[bytes, str], found: dict[str, int]) -> None:
        for digest, number in await self.fetch(_KNOWN_HOSTS, list(digests)):
            name = digests[digest]
            found[name] = self._new_host_numbers[name] = number

    async def _server_time(self) -> float:
        return float(await self.one("SELECT extract(epoch FROM clock_timestamp())::double precision"))


def unknown_crawl(crawl_id: str) -> UnknownCrawlError:
    """The error for an id that no crawl has."""
    return UnknownCrawlError(f"No crawl has the id {crawl_id!r}.")


def clean(text: str | None) -> str | None:
    """A text without what PostgreSQL refuses to store: zero characters and lone surrogates."""
    if text is None or text.isprintable():
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _digest(name: str) -> bytes:
    return hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=16).digest()


def _first_state(name: str, crawl: Crawl) -> tuple[str | None, str, float, int]:
    state = HostState(host=name, delay=crawl.default_delay, slots=crawl.default_slots)
    return clean(name), _encode(state).decode(), state.delay, state.slots
