"""scrapy-redis's scheduler: `enqueue_request` and `next_request`. Runs in an environment of its own."""

import argparse
from hashlib import sha1

import redis
from scrapy import Request, Spider  # type: ignore[import-not-found]
from scrapy.settings import Settings  # type: ignore[import-not-found]
from scrapy.utils.request import RequestFingerprinter  # type: ignore[import-not-found]
from scrapy_redis.dupefilter import RFPDupeFilter  # type: ignore[import-not-found]
from scrapy_redis.queue import PriorityQueue  # type: ignore[import-not-found]
from scrapy_redis.scheduler import Scheduler  # type: ignore[import-not-found]

from benchmarks.stores.workload import Rates, Stopwatch, chunks, tell, url_of, window

KNOWN = "bench:dupefilter"
QUEUE = "bench:requests"


class BenchSpider(Spider):  # type: ignore[misc]
    name = "bench"

    def parse(self, response: object) -> None:
        """Never called."""


def make_scheduler(server: redis.Redis) -> Scheduler:
    """As its settings would make it, without a crawl around it."""
    scheduler = Scheduler(server=server, persist=True)
    spider = BenchSpider()
    spider.settings = Settings()
    scheduler.spider = spider
    scheduler.stats = None
    scheduler.df = RFPDupeFilter(server, KNOWN)
    fingerprinter = RequestFingerprinter()
    scheduler.df.request_fingerprint = lambda request: fingerprinter.fingerprint(request).hex()
    scheduler.queue = PriorityQueue(server, spider, QUEUE)
    return scheduler


def enqueue(scheduler: Scheduler, first: int, last: int) -> tuple[int, Stopwatch]:
    watch = Stopwatch()
    new = 0
    with watch:
        for number in range(first, last):
            new += bool(scheduler.enqueue_request(Request(url_of(number), priority=number % 10)))
    return new, watch


def take(scheduler: Scheduler, wanted: int) -> tuple[int, Stopwatch]:
    watch = Stopwatch()
    taken = 0
    with watch:
        while taken < wanted and scheduler.next_request() is not None:
            taken += 1
    return taken, watch


def fill(server: redis.Redis, first: int, last: int) -> None:
    """Make links known that are done already: one by one, a million of them would take many minutes."""
    for numbers in chunks(first, last, 10_000):
        # As long as real fingerprints; what they are the hash of does not matter to Redis.
        server.sadd(KNOWN, *(sha1(url_of(number).encode()).hexdigest() for number in numbers))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("known", type=int, nargs="+")
    given = parser.parse_args()
    server = redis.Redis.from_url(given.address)
    scheduler = make_scheduler(server)
    empty = server.info("memory")["used_memory"]
    known = 0
    for goal in given.known:
        size = min(window(goal), 20_000)
        fill(server, known, goal - size)
        known = goal
        new, adding = enqueue(scheduler, goal - size, goal)
        everything = server.info("memory")["used_memory"] - empty
        members = server.memory_usage(KNOWN, samples=0)
        again, refusing = enqueue(scheduler, goal - size, goal)
        taken, taking = take(scheduler, size)
        tell(
            Rates(
                known=goal,
                added_per_second=new / adding.wall,
                refused_per_second=(size - again) / refusing.wall,
                taken_per_second=taken / taking.wall,
                client_cpu_per_added=adding.cpu / new * 1e6,
                bytes_per_known_link=members / goal,
                bytes_per_link=members / goal + (everything - members) / size,
            )
        )


if __name__ == "__main__":
    main()
