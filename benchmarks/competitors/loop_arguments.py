"""The command line that the bare loops share."""

import argparse
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class LoopArguments:
    """The known URL list, where the records go, and how many connections to use."""

    urls: list[str]
    output: Path
    connections: int
    processes: int
    parse: bool


def read_arguments() -> LoopArguments:
    parser = argparse.ArgumentParser()
    parser.add_argument("--urls", type=Path, required=True, help="a file with one URL on each line")
    parser.add_argument("--output", type=Path, required=True, help="the folder for the records")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--fetch-only", action="store_true")
    given = parser.parse_args()
    return LoopArguments(
        urls=given.urls.read_text().split(),
        output=given.output,
        connections=given.connections,
        processes=given.processes,
        parse=not given.fetch_only,
    )
