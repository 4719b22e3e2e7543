"""One transaction: its statements, its moment, the crawls and hosts that it is about."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.locks import CRAWL_LOCK
from crawlmesh.adapters.postgres.crawl_store.tables import ending_of
from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.host import HostState
from crawlmesh.ports.clock import Clock

_REMEMBERED_HOSTS = 200_000
_PATIENCE = 3600.0  # seconds for a statement over a whole crawl

_CRAWL = """
SELECT number, id, revisits, own_tables, max_pages, max_pages_per_template, default_delay, default_slots
FROM crawls WHERE id = $1
"""

_KNOWN_HOSTS = "SELECT digest, number FROM hosts WHERE digest = ANY($1::bytea[]) AND met"

# A host that has limits only is met now, and takes the defaults of its crawl.
_NEW_HOSTS = """
INSERT INTO hosts (digest, name, state, delay, slots, exclusive, ready_at)
SELECT digest, name, state, delay, slots, true, ready_at
FROM unnest($1::bytea[], $2::text[], $3::text[], $4::double precision[], $5::integer[],
            $6::double precision[])
    AS given (digest, name, state, delay, slots, ready_at)
ON CONFLICT (digest) DO UPDATE SET
    met = true, state = excluded.state, delay = excluded.delay, slots = excluded.slots,
    ready_at = excluded.ready_at
WHERE NOT hosts.met
"""

Link = tuple[int, int, int, int]  # crawl, link, rank, attempts made so far

_encode = msgspec.json.Encoder().encode


class CrawlRow(msgspec.Struct, frozen=True, array_like=True):
    """A crawl as it stands in its table, without its definition."""

    number: int
    id: str
    revisits: bool  # whether leases carry validators
    own_tables: bool
    max_pages: int | None
    max_pages_per_template: int | None
    default_delay: float
    default_slots: int

    @property
    def ending(self) -> str:
        """What the names of its tables end with."""
        return ending_of(self.number, own_tables=self.own_tables)


class LeaseEntry(msgspec.Struct, array_like=True):
    """A live lease, locked."""

    fence: int
    host: int
    slots: int
    links: list[Link]


_decode_crawls = msgspec.json.Decoder(list[CrawlRow]).decode
_decode_leases = msgspec.json.Decoder(list[LeaseEntry]).decode


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
        self._endings: dict[int, str] = {}  # of the tables of crawls
        self.leases: dict[int, LeaseEntry] = {}  # those that were entered with, by fence
        self.is_due = False  # whether deferred links of these crawls may be tried again by now
        self.grown: Counter[str] = Counter()  # new links of small crawls, by the crawl's id

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

    async def write_crawl_rows(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """The same for tables of crawls, named with `{ending}`. The first column is the crawl's number."""
        for ending, part in self._by_ending(rows):
            await self.write_rows(statement.format(ending=ending), part)

    async def fetch_crawl_rows(self, statement: str, rows: Sequence[tuple[Any, ...]]) -> list[asyncpg.Record]:
        """The same for a statement that answers."""
        found: list[asyncpg.Record] = []
        for ending, part in self._by_ending(rows):
            found += await self.fetch(statement.format(ending=ending), *zip(*part, strict=True))
        return found

    async def fetch_of_crawl(self, statement: str, crawl: int, *values: Any) -> list[asyncpg.Record]:
        """All rows of a statement about the tables of one crawl; its number is the first value."""
        return await self.fetch(statement.format(ending=self._endings[crawl]), crawl, *values)

    async def enter(self, crawl_ids: Iterable[str], fences: Iterable[int] = ()) -> dict[str, CrawlRow]:
        """Those of these crawls that exist, and those that leases have links of, by their id.

        Until the transaction ends, they are neither deleted nor started again, nor do they move to other
        tables; and nobody else changes the leases, which are in `leases` then, as far as they live.
        """
        clock = self._clock.now() if self._clock else None
        ((moment, crawls, leases, self.is_due),) = await self.fetch(
            "SELECT moment, crawls, leases, is_due FROM enter($1, $2, $3, $4)",
            CRAWL_LOCK,
            list(crawl_ids),
            list(fences),
            clock,
        )
        self._now = moment if self._now is None else self._now
        self.leases.update((lease.fence, lease) for lease in _decode_leases(leases or "[]"))
        rows = _decode_crawls(crawls or "[]")
        self._endings.update((row.number, row.ending) for row in rows)
        return {row.id: row for row in rows}

    async def enter_alone(self, crawl_id: str) -> CrawlRow | None:
        """Keep everybody else away from a crawl; None where there is none of this id."""
        await self.run("SELECT pg_advisory_xact_lock($1, hashtext($2))", CRAWL_LOCK, crawl_id)
        return await self.crawl(crawl_id)

    async def crawl(self, crawl_id: str) -> CrawlRow | None:
        """A crawl as it is now; None where there is none of this id."""
        for values in await self.fetch(_CRAWL, crawl_id):
            row = CrawlRow(*values)
            self._endings[row.number] = row.ending
            return row
        return None

    async def host_numbers(self, names: Mapping[str, CrawlRow]) -> dict[str, int]:
        """The numbers of hosts; one that is met for the first time gets its crawl's defaults."""
        found = {name: known[name] for known in self._known_hosts for name in names if name in known}
        if len(found) == len(names):
            return found
        unknown = {digest_of(name): name for name in names if name not in found}
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

    def count_grown(self, crawls: Iterable[CrawlRow]) -> None:
        """Note that small crawls have grown: the crawl of each new link."""
        self.grown.update(row.id for row in crawls if not row.own_tables)

    async def plan_freely(self) -> None:
        """Let the server plan as it likes and take its time, for statements over a whole crawl."""
        await self.run("SET LOCAL plan_cache_mode = auto")
        for setting in ("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "enable_material"):
            await self.run(f"SET LOCAL {setting} = on")
        self._timeout = _PATIENCE

    def _by_ending(self, rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
        """Rows by the tables that they belong into, in the order of the tables' names."""
        parts: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for row in rows:
            parts[self._endings[row[0]]].append(row)
        return iter(sorted(parts.items()))

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


def digest_of(host: str) -> bytes:
    """What a host is found by."""
    return hashlib.blake2b(host.encode("utf-8", "replace"), digest_size=16).digest()


def _first_state(name: str, crawl: CrawlRow) -> tuple[str | None, str, float, int]:
    state = HostState(host=name, delay=crawl.default_delay, slots=crawl.default_slots)
    return clean(name), _encode(state).decode(), state.delay, state.slots
