"""Measures the API calls of the dashboard's pages on a generated cluster, and prints one table."""

import argparse
import asyncio
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import asyncpg

from benchmarks.cluster.__main__ import print_table
from benchmarks.cluster.deployment import Deployment
from benchmarks.dashboard.building import built
from benchmarks.dashboard.calls import Calls
from benchmarks.dashboard.freshen import freshen, keep_nodes_alive
from benchmarks.dashboard.kept_postgres import MEASURING, KeptPostgres
from benchmarks.dashboard.measuring import Timing, measured, percentile
from benchmarks.dashboard.sizes import Landmarks, Sizes
from benchmarks.machine import StealMeter, machine_facts

_BAR = 150.0  # milliseconds, at the 95th percentile
_SETTLING = 10.0  # seconds that the master has to read the fleet


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dashboard", description=__doc__)
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--requests", type=int, default=40, help="of each call")
    parser.add_argument("--only", default="", help="calls whose page or name has this text")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep the database there, and use it again"
    )
    parser.add_argument("--load-only", action="store_true", help="make the database, and measure nothing")
    return parser.parse_args()


async def main(given: argparse.Namespace, folder: Path) -> bool:
    sizes = Sizes(given.tasks, given.nodes, given.records)
    sizes.check()
    landmarks = await built(folder, sizes)
    if given.load_only:
        return True
    load = os.getloadavg()[0]
    with KeptPostgres(folder, MEASURING) as server:
        connection = await asyncpg.connect(server.dsn())
        try:
            await freshen(connection, landmarks)
        finally:
            await connection.close()
        beating = asyncio.create_task(keep_nodes_alive(server.dsn()))
        try:
            with tempfile.TemporaryDirectory(prefix="dashboard-bench-") as place:
                steal = StealMeter()
                timings = await _measure(Path(place), server.dsn(), landmarks, given)
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating
    _print(timings)
    print(f"- load average before and after: {load:.1f}, {os.getloadavg()[0]:.1f}")
    print(f"- processor time that neighbours took: {steal.share() * 100:.0f} %")
    for fact, value in machine_facts().items():
        print(f"- {fact}: {value}")
    return all(timing.p95() < _BAR for timing in timings)


async def _measure(
    place: Path, address: str, landmarks: Landmarks, given: argparse.Namespace
) -> list[Timing]:
    async with Deployment(place, address, address) as master:
        await asyncio.sleep(_SETTLING)
        calls = Calls(landmarks, time.time(), master.key).all()
        wanted = [call for call in calls if given.only in f"{call.page} {call.name}"]
        return [await measured(master.http, call, given.requests) for call in wanted]


def _print(timings: list[Timing]) -> None:
    rows = []
    for timing in timings:
        p95 = timing.p95()
        rows.append(
            [
                f"{timing.call.page}: {timing.call.name}",
                "" if timing.items is None else str(timing.items),
                f"{percentile(timing.alone, 0.5):.1f}",
                f"{p95:.1f}",
                f"{max(timing.alone):.1f}",
                f"{percentile(timing.together, 0.95):.1f}" if timing.together else "",
                "yes" if p95 < _BAR else "**no**",
            ]
        )
    print_table(
        ["page and call", "items", "p50 ms", "p95 ms", "max ms", "p95 of four at once", "p95 < 150 ms"], rows
    )
    missed = sum(timing.p95() >= _BAR for timing in timings)
    print(f"{len(timings)} calls, {missed} of them over {_BAR:.0f} ms at p95.\n")


if __name__ == "__main__":
    arguments = read_arguments()
    if arguments.keep:
        asyncio.run(main(arguments, arguments.keep))
    else:
        with tempfile.TemporaryDirectory(prefix="dash-", dir="/tmp") as temporary:
            Path(temporary).chmod(0o755)  # root's server runs as another user, who has to get through
            asyncio.run(main(arguments, Path(temporary) / "pg"))
