"""Errors, memory and speed of the Bloom filters at full capacity: `python -m benchmarks.bloom --help`.

Each filter takes as many different URLs as it has room for, through the function that gives links their
identity, and is then asked for as many others. What it says to know of those is its error.
"""

import argparse
import asyncio
import gc
import shutil
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

import msgspec
import psutil
from redis.asyncio import Redis

from benchmarks.machine import machine_facts
from crawlmesh.adapters.bloom_filter import ScalableBloomFilter
from crawlmesh.adapters.redis.bloom import RedisBloomFilter
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import FilterStatus
from crawlmesh.rules.url_identity import canonicalize

ERROR_RATE = 0.0001
MOST_BYTES = 4.0  # of a link
BATCH = 1_000
GROWN_LAYERS = 4  # of a filter that was made for a fifteenth of the links: 1 + 2 + 4 + 8


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured of one filter."""

    name: str
    links: int
    layers: int
    missed: int  # new links that were taken for known ones while the filter was filled
    asked: int
    wrong: int  # of those, after it was full
    bytes_per_link: float  # as measured: of the process, or of the server
    told_bytes_per_link: float  # as its status says
    adds_per_second: float
    asks_per_second: float
    server_cpu_us_per_add: float | None = None


class Filter(Protocol):
    """A filter under test."""

    async def add_new(self, fingerprints: Sequence[bytes]) -> list[bool]: ...

    async def knows(self, fingerprints: Sequence[bytes]) -> list[bool]: ...

    async def status(self) -> FilterStatus: ...

    async def bytes(self) -> int: ...

    async def cpu(self) -> float | None: ...


class InProcess:
    """The filter of the memory and SQLite stores."""

    def __init__(self, capacity: int) -> None:
        gc.collect()
        self._process = psutil.Process()
        self._before = self._process.memory_info().rss
        self._filter = ScalableBloomFilter(capacity, ERROR_RATE)

    async def add_new(self, fingerprints: Sequence[bytes]) -> list[bool]:
        return self._filter.add_new(fingerprints)

    async def knows(self, fingerprints: Sequence[bytes]) -> list[bool]:
        return [fingerprint in self._filter for fingerprint in fingerprints]

    async def status(self) -> FilterStatus:
        return self._filter.status()

    async def bytes(self) -> int:
        gc.collect()
        return self._process.memory_info().rss - self._before

    async def cpu(self) -> float | None:
        return None


class InRedis(RedisBloomFilter):
    """The filter in Redis, with what the server says of itself."""

    def __init__(self, client: Redis, before: int) -> None:
        super().__init__(client, "benchmark")
        self._client = client
        self._before = before

    async def bytes(self) -> int:
        return int((await self._client.info("memory"))["used_memory"]) - self._before

    async def cpu(self) -> float | None:
        facts = await self._client.info("cpu")
        return float(facts["used_cpu_user"] + facts["used_cpu_sys"])


def fingerprints(kind: str, number: int) -> Iterator[list[bytes]]:
    """Batches of the identities of different URLs, as shops have them."""
    for start in range(0, number, BATCH):
        yield [_fingerprint(kind, page) for page in range(start, min(start + BATCH, number))]


def _fingerprint(kind: str, page: int) -> bytes:
    url = canonicalize(
        f"https://www.shop{page % 997}.example/{kind}/{page // 7 % 50}/item-{page}?b={page % 3}&a=1"
    )
    assert url is not None
    return url.fingerprint


async def measure(name: str, tested: Filter, links: int) -> Row:
    """Fill a filter and ask it for others; making the URLs is not timed."""
    missed, wrong, adding, asking = 0, 0, 0.0, 0.0
    cpu = await tested.cpu()
    for batch in fingerprints("product", links):
        begun = time.perf_counter()
        missed += (await tested.add_new(batch)).count(False)
        adding += time.perf_counter() - begun
    cpu_after = await tested.cpu()
    size, status = await tested.bytes(), await tested.status()
    for batch in fingerprints("offer", links):
        begun = time.perf_counter()
        wrong += sum(await tested.knows(batch))
        asking += time.perf_counter() - begun
    return Row(
        name=name,
        links=status.count,
        layers=status.layers,
        missed=missed,
        asked=links,
        wrong=wrong,
        bytes_per_link=size / status.count,
        told_bytes_per_link=status.bytes / status.count,
        adds_per_second=links / adding,
        asks_per_second=links / asking,
        server_cpu_us_per_add=None if cpu is None or cpu_after is None else (cpu_after - cpu) / links * 1e6,
    )


@asynccontextmanager
async def redis_server(url: str | None) -> AsyncIterator[Redis]:
    """The server of an address, or one of our own without persistence."""
    if url is not None:
        client = Redis.from_url(url)
        yield client
        await client.aclose()
        return
    program = shutil.which("redis-server")
    if program is None:
        raise SystemExit("There is no redis-server in the PATH; give --redis URL, or --only process.")
    with tempfile.TemporaryDirectory() as folder:
        socket = Path(folder) / "redis.sock"
        server = subprocess.Popen(
            [program, "--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", folder],
            stdout=subprocess.DEVNULL,
        )
        try:
            while not socket.exists():
                await asyncio.sleep(0.05)
            client = Redis(unix_socket_path=str(socket))
            yield client
            await client.aclose()
        finally:
            server.terminate()
            server.wait()


async def measure_redis(client: Redis, form: str, capacity: int, links: int, name: str) -> Row | None:
    await client.delete("{benchmark}")
    before = int((await client.info("memory"))["used_memory"])
    tested = InRedis(client, before)
    try:
        await tested.create(capacity, ERROR_RATE, "server" if form == "server" else "script")
    except StoreError as error:
        print(f"left out, {name}: {error}")
        return None
    try:
        return await measure(name, tested, links)
    finally:
        await tested.delete()


async def run(arguments: argparse.Namespace) -> AsyncIterator[Row]:
    """The rows, one after the other."""
    links = arguments.urls
    first = -(-links // (2**GROWN_LAYERS - 1))
    sizes = {"one layer": links, f"{GROWN_LAYERS} layers": first}
    if "process" in arguments.only:
        for layers, capacity in sizes.items():
            yield await measure(f"in process, {layers}", InProcess(capacity), links)
    forms = [form for form in ("script", "server") if form in arguments.only]
    if not forms:
        return
    async with redis_server(arguments.redis) as client:
        version = (await client.info("server"))["redis_version"]
        for form in forms:
            for layers, capacity in sizes.items():
                name = f"Redis {version}, {form}, {layers}"
                row = await measure_redis(client, form, capacity, links, name)
                if row is not None:
                    yield row


COLUMNS = (
    "filter", "links", "layers", "wrong of asked", "error rate", "missed while filled",
    "bytes/link measured", "by its status", "adds/s", "asks/s", "server CPU µs/add",
)  # fmt: skip


def show(row: Row) -> None:
    cells = (
        row.name,
        f"{row.links:,}",
        row.layers,
        f"{row.wrong:,} of {row.asked:,}",
        f"{row.wrong / row.asked:.5%}",
        f"{row.missed:,}",
        f"{row.bytes_per_link:.2f}",
        f"{row.told_bytes_per_link:.2f}",
        f"{row.adds_per_second:,.0f}",
        f"{row.asks_per_second:,.0f}",
        "" if row.server_cpu_us_per_add is None else f"{row.server_cpu_us_per_add:.1f}",
    )
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


async def measure_all(arguments: argparse.Namespace) -> list[str]:
    """Prints the table; returns the filters that break a bar."""
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    broken = []
    async for row in run(arguments):
        show(row)
        if row.wrong / row.asked >= ERROR_RATE or row.bytes_per_link > MOST_BYTES:
            broken.append(row.name)
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bloom", description=__doc__)
    parser.add_argument(
        "--urls", type=int, default=5_000_000, help="that are added, and as many are asked for"
    )
    parser.add_argument("--redis", help="address of a server; its own is started otherwise")
    parser.add_argument(
        "--only", type=lambda text: text.split(","), default=["process", "script", "server"], help="forms"
    )
    arguments = parser.parse_args()
    print(machine_facts())
    if broken := asyncio.run(measure_all(arguments)):
        raise SystemExit(f"Over 0.01 % or over 4 bytes: {', '.join(broken)}")


if __name__ == "__main__":
    main()
