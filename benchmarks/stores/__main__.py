"""Runs every store and competitor after another: `python -m benchmarks.stores --help`."""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from benchmarks.environments import EnvironmentUnavailableError, ensure_environment
from benchmarks.machine import StealMeter, machine_facts
from crawlmesh.testing.servers import PostgresServer, require_postgres
from crawlmesh.testing.servers.redis import RedisServer, require_redis

PROJECT = Path(__file__).resolve().parent.parent.parent
WORK_FOLDER = PROJECT / "benchmarks" / ".work"
COMPETITORS = ("sqlite", "sqlite-bloom", "postgres", "redis", "redis-bloom", "scrapy-redis", "crawlee")
OURS = "benchmarks.stores.own_store"


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stores", description=__doc__)
    parser.add_argument("--known", type=_numbers, default=[10_000, 1_000_000, 5_000_000])
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(COMPETITORS))
    parser.add_argument("--part", choices=("stores", "fleet", "all"), default="all")
    parser.add_argument("--seconds", type=float, default=15.0, help="of the fleet")
    parser.add_argument("--rounds", type=int, default=1)
    return parser.parse_args()


def _numbers(text: str) -> list[int]:
    return sorted(int(part) for part in text.split(","))


@contextlib.contextmanager
def address_for(name: str) -> Iterator[str]:
    """A new server, or a new file, that is gone afterwards. No server waits for the disk at each call."""
    if name.startswith("sqlite"):
        with tempfile.TemporaryDirectory(dir=WORK_FOLDER) as folder:
            yield f"sqlite:///{folder}/crawls.db"
    elif name == "postgres":
        with PostgresServer(require_postgres(), fsync=False) as server:
            yield server.dsn()
    else:
        with RedisServer(require_redis(), durable=False) as server:
            yield server.address()


def command_for(name: str, address: str, known: list[int]) -> list[str]:
    goals = [str(number) for number in known]
    if name == "scrapy-redis":
        python = ensure_environment(WORK_FOLDER, "scrapy-redis")
        return [python, "-m", "benchmarks.stores.scrapy_redis_queue", address, *goals]
    if name == "crawlee":
        python = ensure_environment(WORK_FOLDER, "crawlee-redis")
        return [python, "-m", "benchmarks.stores.crawlee_queue", address, *goals]
    dedup = "bloom" if name.endswith("bloom") else "exact"
    return [sys.executable, "-m", OURS, address, *goals, "--dedup", dedup]


def measure(name: str, known: list[int]) -> list[dict[str, Any]]:
    """What a competitor told, a result for each number of known links; nothing where it could not run."""
    try:
        with address_for(name) as address:
            command = command_for(name, address, known)
            done = subprocess.run(
                command,
                cwd=PROJECT,
                env=os.environ | {"PYTHONPATH": str(PROJECT)},
                capture_output=True,
                text=True,
                check=False,
            )
    except EnvironmentUnavailableError as error:
        print(f"{name} is left out: {error}")
        return []
    if done.returncode:
        print(f"{name} is left out: {done.stderr.strip().splitlines()[-1]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def measure_stores(given: argparse.Namespace) -> dict[str, list[dict[str, Any]]]:
    results: dict[str, list[dict[str, Any]]] = {}
    for number in range(given.rounds):
        for name in given.only:
            steal = StealMeter()
            told = measure(name, given.known)
            results.setdefault(name, []).extend(told)
            for rates in told:
                print(f"round {number + 1} {name:13} {_line(rates)}  steal {steal.share():.0%}", flush=True)
    return results


def _line(rates: dict[str, Any]) -> str:
    return (
        f"{rates['known']:>10,} known  {rates['added_per_second']:>9,.0f} added/s  "
        f"{rates['refused_per_second']:>9,.0f} refused/s  {rates['taken_per_second']:>9,.0f} taken/s  "
        f"{rates['bytes_per_known_link']:6.1f} B known  {rates['bytes_per_link']:7.1f} B all"
    )


def measure_fleet(seconds: float) -> None:
    """64 workers on one Redis, with and without what real workers remember; and what was busy."""
    for options in ([], ["--remember"]):
        with RedisServer(require_redis(), durable=False) as server:
            redis = psutil.Process(server.pid)
            command = [
                sys.executable,
                "-m",
                "benchmarks.stores.fleet",
                server.address(),
                "--seconds",
                str(seconds),
            ]
            before = sum(redis.cpu_times()[:2])
            done = subprocess.run([*command, *options], cwd=PROJECT, stdout=subprocess.PIPE, check=True)
            cores = (sum(redis.cpu_times()[:2]) - before) / seconds
        told = json.loads(done.stdout)
        print(
            f"fleet of 64{' with memory' if options else '':12}: {told['pages_per_second']:,.0f} pages/s, "
            f"{told['links_per_second']:,.0f} links/s found, {told['sent_per_page']:.1f} links sent a page, "
            f"Redis {cores:.2f} cores, clients {told['client_cores']:.2f} cores",
            flush=True,
        )


def main() -> None:
    given = read_arguments()
    WORK_FOLDER.mkdir(exist_ok=True)
    for name, value in machine_facts().items():
        print(f"{name}: {value}")
    if given.part != "fleet":
        results = measure_stores(given)
        (WORK_FOLDER / "store-results.json").write_text(json.dumps(results, indent=2) + "\n")
    if given.part != "stores":
        measure_fleet(given.seconds)


if __name__ == "__main__":
    main()
