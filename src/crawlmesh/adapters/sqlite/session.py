"""What the owner of the file keeps in memory beside it.

Everything here can be read again from the tables. It is changed only by the writer thread, inside
the transaction that changes the tables.
"""

import sqlite3
from typing import Any

import msgspec

from crawlmesh.adapters.bloom_filter import ScalableBloomFilter, filter_of
from crawlmesh.adapters.sqlite.counters import Counters
from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.ports.clock import Clock
from crawlmesh.rules.host_limits import limited

_REMEMBERED_HOSTS = 200_000

_encode = msgspec.json.Encoder().encode
_decode_crawl = msgspec.json.Decoder(Crawl).decode
_decode_counters = msgspec.json.Decoder(Counters).decode
_decode_limits = msgspec.json.Decoder(HostLimits).decode

_NO_LIMITS = HostLimits()

_LIMITS = """
SELECT host_limits.name, hosts.number, limits
FROM host_limits LEFT JOIN hosts ON hosts.name = host_limits.name
"""


class LeaseEntry(msgspec.Struct):
    """A live lease."""

    fence: int
    node_id: str
    host: int
    slots: int
    expires_at: float
    links: list[tuple[int, int, int, int]]  # link, rank, crawl, attempts made so far


class CrawlEntry(msgspec.Struct):
    """A crawl and what is known of it."""

    number: int
    crawl: Crawl
    counters: Counters
    known: set[bytes] | ScalableBloomFilter  # fingerprints of all its links
    templates: dict[int, int]  # links per template
    revisits: bool  # whether leases carry validators


class Session:
    """The connection, the clock, and the state beside the tables."""

    def __init__(self, connection: sqlite3.Connection, clock: Clock, *, owner: bool = True) -> None:
        """Who only reads does without the known fingerprints."""
        self.connection = connection
        self.clock = clock
        self.crawls: dict[str, CrawlEntry] = {}
        self.crawl_ids: dict[int, str] = {}
        self.leases: dict[int, LeaseEntry] = {}
        self.last_fence = 0
        self.last_link = 0
        self.last_host = 0
        self._host_numbers: dict[str, int] = {}
        self._limits: dict[int, HostLimits] = {}  # of hosts that were met, by their number
        self._early_limits: dict[str, HostLimits] = {}  # of hosts that were not, by their name
        self._touched: set[str] = set()
        self._load(owner=owner)

    def entry(self, crawl_id: str) -> CrawlEntry:
        """The crawl of this id. Raises UnknownCrawlError."""
        entry = self.crawls.get(crawl_id)
        if entry is None:
            raise UnknownCrawlError(f"No crawl has the id {crawl_id!r}.")
        return entry

    def entry_of(self, number: int) -> CrawlEntry:
        """The crawl of this number."""
        return self.crawls[self.crawl_ids[number]]

    def run(self, sql: str, **parameters: Any) -> None:
        """Run one statement that yields nothing."""
        self.connection.execute(sql, parameters)

    def one(self, sql: str, **parameters: Any) -> Any:
        """The first column of the first row, or None."""
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def write_rows(self, sql: str, rows: list[Any], **parameters: Any) -> None:
        """Run one statement over many rows, given to it as the JSON array `:rows`.

        One statement in place of one for each row: SQLite's Python module lets go of the
        interpreter lock at every step, and getting it back from a busy engine costs milliseconds.
        """
        if rows:
            self.connection.execute(sql, {"rows": _encode(rows).decode(), **parameters})

    def touch(self, entry: CrawlEntry) -> Counters:
        """The counters of a crawl, to be changed; `flush` writes them."""
        self._touched.add(entry.crawl.id)
        return entry.counters

    def flush(self) -> None:
        """Write the counters that were touched."""
        for crawl_id in self._touched:
            entry = self.crawls.get(crawl_id)
            if entry is not None:
                self.run(
                    "UPDATE crawls SET progress = :progress WHERE number = :number",
                    progress=_encode(entry.counters),
                    number=entry.number,
                )
        self._touched.clear()

    def host_number(self, name: str, crawl: Crawl) -> int:
        """The number of a host; a host that is met for the first time gets the crawl's defaults."""
        number = self._host_numbers.get(name)
        if number is None:
            number = self.one("SELECT number FROM hosts WHERE name = :name", name=name)
            if number is None:
                number = self._new_host(name, crawl)
            if len(self._host_numbers) >= _REMEMBERED_HOSTS:
                self._host_numbers.clear()
            self._host_numbers[name] = number
        return number

    def limits_of(self, host: int) -> HostLimits:
        """What a user laid down for a host."""
        return self._limits.get(host, _NO_LIMITS)

    def remember_limits(self, name: str, number: int | None, limits: HostLimits) -> None:
        """Keep limits in memory; `number` is None where the host was not met yet."""
        if limits == _NO_LIMITS:
            self._early_limits.pop(name, None)
            self._limits.pop(number or 0, None)
        elif number is None:
            self._early_limits[name] = limits
        else:
            self._limits[number] = limits

    def _new_host(self, name: str, crawl: Crawl) -> int:
        self.last_host += 1
        state = HostState(host=name, delay=crawl.default_delay, slots=crawl.default_slots)
        limits = self._early_limits.pop(name, _NO_LIMITS)
        self.remember_limits(name, self.last_host, limits)
        leased_as = limited(state, limits)
        self.run(
            "INSERT INTO hosts (number, name, state, delay, slots, exclusive, ready_at, blocked)"
            " VALUES (:number, :name, :state, :delay, :slots, 1, :now, :blocked)",
            number=self.last_host,
            name=name,
            state=_encode(state),
            delay=leased_as.delay,
            slots=leased_as.slots,
            now=self.clock.now(),
            blocked=int(limits.blocked),
        )
        return self.last_host

    def _load(self, *, owner: bool) -> None:
        rows = self.connection.execute("SELECT number, crawl, progress, revisits FROM crawls ORDER BY number")
        for number, crawl, progress, revisits in rows.fetchall():
            self.remember(number, _decode_crawl(crawl), _decode_counters(progress), bool(revisits))
        for entry in self.crawls.values() if owner else ():
            self._load_known(entry.number, entry)
        self.last_link = self.one("SELECT max(number) FROM links") or 0
        self.last_host = self.one("SELECT max(number) FROM hosts") or 0
        self.last_fence = self.one("SELECT seq FROM sqlite_sequence WHERE name = 'leases'") or 0
        self._load_limits()
        for row in self.connection.execute("SELECT fence, node, host, slots, expires_at, links FROM leases"):
            links = msgspec.json.decode(row[5], type=list[tuple[int, int, int, int]])
            self.leases[row[0]] = LeaseEntry(row[0], row[1], row[2], row[3], row[4], links)

    def _load_limits(self) -> None:
        if self.one("SELECT 1 FROM sqlite_master WHERE name = 'host_limits'"):  # not in an older file to read
            for name, number, limits in self.connection.execute(_LIMITS).fetchall():
                self.remember_limits(name, number, _decode_limits(limits))

    def _load_known(self, number: int, entry: CrawlEntry) -> None:
        found = self.connection.execute(
            "SELECT fingerprint FROM links WHERE crawl = ? ORDER BY number", (number,)
        )
        while rows := found.fetchmany(50_000):
            entry.known.update(row[0] for row in rows)
        counted = self.connection.execute("SELECT template, links FROM templates WHERE crawl = ?", (number,))
        entry.templates.update(counted.fetchall())

    def remember(self, number: int, crawl: Crawl, counters: Counters, revisits: bool = False) -> None:
        """Keep a crawl in memory."""
        known: set[bytes] | ScalableBloomFilter = filter_of(crawl) or set()
        self.crawls[crawl.id] = CrawlEntry(number, crawl, counters, known, {}, revisits)
        self.crawl_ids[number] = crawl.id
