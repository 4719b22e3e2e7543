"""What every competitor is given: the same links, by their numbers."""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Self

HOSTS = 1_000
BATCH = 1_000  # links in one call, where a store takes several


@dataclass(frozen=True)
class Rates:
    """What was measured with so many links known."""

    known: int
    added_per_second: float  # new links: recognised as new, stored, queued
    refused_per_second: float  # known links: recognised as known
    taken_per_second: float  # links taken from the queue and done with
    client_cpu_per_added: float  # microseconds
    bytes_per_known_link: float  # of the set of known links alone, where it can be told apart
    bytes_per_link: float  # of everything, for a link that waits in the queue


@dataclass
class Stopwatch:
    """Wall and processor time of this process, between the two calls."""

    wall: float = 0.0
    cpu: float = 0.0
    _begun: tuple[float, float] = field(default=(0.0, 0.0))

    def __enter__(self) -> Self:
        self._begun = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall += time.perf_counter() - self._begun[0]
        self.cpu += time.process_time() - self._begun[1]


def url_of(number: int) -> str:
    """The URL of a link: about 60 characters, on one of many hosts."""
    return f"http://host-{number % HOSTS}.example/category-{number % 977}/some-product-name-{number}.html"


def window(known: int) -> int:
    """How many links are timed when so many are known."""
    return min(50_000, max(2_000, known // 2))


def chunks(first: int, last: int, size: int = BATCH) -> Iterator[range]:
    """The numbers from `first` to below `last`, in parts."""
    for start in range(first, last, size):
        yield range(start, min(start + size, last))


def tell(rates: Rates) -> None:
    """Hand a result to the process that started this one."""
    sys.stdout.write(json.dumps(asdict(rates)) + "\n")
    sys.stdout.flush()
