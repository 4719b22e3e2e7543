"""What the agent and its engine processes say to each other: one JSON object in a line."""

import asyncio

import msgspec

from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.worker.crawl_engines import PlanOrder

LONGEST_LINE = 256 * 1024 * 1024  # bytes


class AddPlan(msgspec.Struct, frozen=True, tag=True):
    """To an engine: work on a crawl."""

    order: PlanOrder


class RemovePlan(msgspec.Struct, frozen=True, tag=True):
    """To an engine: give a crawl back."""

    crawl_id: str


class StopEngine(msgspec.Struct, frozen=True, tag=True):
    """To an engine: settle what is done, and end."""


class CrawlEnded(msgspec.Struct, frozen=True, tag=True):
    """From an engine: nothing is left of a crawl."""

    crawl_id: str
    progress: CrawlProgress | None


class PlanRemoved(msgspec.Struct, frozen=True, tag=True):
    """From an engine: a crawl was given back."""

    crawl_id: str
    tally: CrawlTally


class Tallied(msgspec.Struct, frozen=True, tag=True):
    """From an engine: what was done so far, for crawls in which something was."""

    tallies: dict[str, CrawlTally]


ToEngine = AddPlan | RemovePlan | StopEngine
FromEngine = CrawlEnded | PlanRemoved | Tallied

TO_ENGINE = msgspec.json.Decoder(ToEngine)
FROM_ENGINE = msgspec.json.Decoder(FromEngine)


def line_of(message: ToEngine | FromEngine) -> bytes:
    """A message, ready to be written."""
    line = msgspec.json.encode(message)
    if len(line) >= LONGEST_LINE:
        raise StoreError(
            f"A crawl whose definition has {len(line)} bytes is too large for an engine process."
        )
    return line + b"\n"


async def read_line(reader: asyncio.StreamReader) -> bytes | None:
    """The next message, or None where the other end is gone."""
    try:
        return await reader.readuntil(b"\n")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        return None
