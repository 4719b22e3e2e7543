"""How much two processes that share nothing get out of this machine: the ceiling of `--processes 2`."""

import multiprocessing
import statistics
import time
from pathlib import Path

from benchmarks.competitors.page_parser import parse_page

_SECONDS = 2.0  # of each go
_GOES = 3


def parallel_gain(pages_folder: Path) -> float:
    """The work of two processes that only parse pages from memory, over that of one; a median.

    No network, no server, no store, nothing between them: what is missing to 2 is the machine's.
    """
    pages = [path.read_bytes() for path in sorted(pages_folder.rglob("*.html"))[:200]]
    if not pages:
        return 0.0
    return statistics.median(_parsed(pages, 2) / _parsed(pages, 1) for _ in range(_GOES))


def _parsed(pages: list[bytes], processes: int) -> int:
    context = multiprocessing.get_context("fork")
    counter = context.Value("q", 0)
    workers = [context.Process(target=_parse_for_a_while, args=(pages, counter)) for _ in range(processes)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return int(counter.value)


def _parse_for_a_while(pages: list[bytes], counter: "multiprocessing.sharedctypes.Synchronized[int]") -> None:
    parsed = 0
    end = time.perf_counter() + _SECONDS
    while time.perf_counter() < end:
        parse_page("", pages[parsed % len(pages)])
        parsed += 1
    with counter.get_lock():
        counter.value += parsed
