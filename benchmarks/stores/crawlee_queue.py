"""Crawlee's request queue on Redis. Runs in an environment of its own."""

import argparse
import asyncio

from crawlee import Request  # type: ignore[import-not-found]
from crawlee.storage_clients import RedisStorageClient  # type: ignore[import-not-found]
from crawlee.storages import RequestQueue  # type: ignore[import-not-found]
from redis.asyncio import Redis

from benchmarks.stores.workload import BATCH, Rates, Stopwatch, chunks, tell, url_of, window

MOST_KNOWN = 100_000  # more would take it an hour


async def add(queue: RequestQueue, first: int, last: int) -> Stopwatch:
    watch = Stopwatch()
    for numbers in chunks(first, last, BATCH):
        with watch:
            requests = [Request.from_url(url_of(number)) for number in numbers]
            await queue.add_requests(requests, batch_size=BATCH, wait_for_all_requests_to_be_added=True)
    return watch


async def take(queue: RequestQueue, wanted: int) -> tuple[int, Stopwatch]:
    watch = Stopwatch()
    taken = 0
    with watch:
        while taken < wanted:
            request = await queue.fetch_next_request()
            if request is None:
                break
            await queue.mark_request_as_handled(request)
            taken += 1
    return taken, watch


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("known", type=int, nargs="+")
    given = parser.parse_args()
    client = Redis.from_url(given.address)
    empty = int((await client.info("memory"))["used_memory"])
    queue = await RequestQueue.open(storage_client=RedisStorageClient(connection_string=given.address))
    known = 0
    for goal in given.known:
        if goal > MOST_KNOWN:
            break
        size = min(window(goal), 5_000)
        await add(queue, known, goal - size)
        known = goal
        adding = await add(queue, goal - size, goal)
        used = int((await client.info("memory"))["used_memory"]) - empty
        refusing = await add(queue, goal - size, goal)
        taken, taking = await take(queue, size)
        tell(
            Rates(
                known=goal,
                added_per_second=size / adding.wall,
                refused_per_second=size / refusing.wall,
                taken_per_second=taken / taking.wall,
                client_cpu_per_added=adding.cpu / size * 1e6,
                bytes_per_known_link=0.0,
                bytes_per_link=used / goal,
            )
        )
    await client.aclose()


if __name__ == "__main__":
    asyncio.run(main())
