"""What goes over the pipe: frames of MessagePack, each with its length in front."""

import asyncio
from typing import Any

import msgspec

from crawlmesh import errors
from crawlmesh.errors import CrawlmeshError, StoreError
from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import LedgerEntry, Record

_LENGTH_BYTES = 4
LARGEST_FRAME = 512 * 1024 * 1024  # bytes


class Call(msgspec.Struct, array_like=True, frozen=True):
    """A call of a method of the store."""

    number: int
    method: str
    arguments: msgspec.Raw


class Answer(msgspec.Struct, array_like=True, frozen=True):
    """What a call returned, or the error that it raised."""

    number: int
    result: msgspec.Raw
    error: str = ""  # class name
    message: str = ""


# Arguments and result of every method that may be called.
METHODS: dict[str, tuple[Any, Any]] = {
    "create_crawl": (tuple[Crawl], bool),
    "update_crawl": (tuple[Crawl], None),
    "crawls": (tuple[()], list[Crawl]),
    "delete_crawl": (tuple[str], None),
    "add": (tuple[list[NewLink], list[SkippedLink]], int),
    "lease": (tuple[LeaseRequest], LeaseGrant),
    "settle": (tuple[list[Settlement]], list[bool]),
    "renew": (tuple[list[Renewal]], list[bool]),
    "retry_dead": (tuple[str], int),
    "recrawl": (tuple[str], int),
    "progress": (tuple[str], CrawlProgress),
    "hosts": (tuple[str, int], list[HostProgress]),
    "records": (tuple[str, int, int], list[Record]),
    "explain": (tuple[str, bytes], LedgerEntry | None),
    "expire": (tuple[str | None, bool], int),
}

ENCODER = msgspec.msgpack.Encoder()
ARGUMENT_DECODERS = {name: msgspec.msgpack.Decoder(types[0]) for name, types in METHODS.items()}
RESULT_DECODERS = {name: msgspec.msgpack.Decoder(types[1]) for name, types in METHODS.items()}
CALL_DECODER = msgspec.msgpack.Decoder(Call)
ANSWER_DECODER = msgspec.msgpack.Decoder(Answer)


def error_from(answer: Answer) -> CrawlmeshError:
    """The error that the store raised at the other end."""
    kind = getattr(errors, answer.error, StoreError)
    error: CrawlmeshError = kind(answer.message)
    return error


async def read_frame(reader: asyncio.StreamReader) -> bytes | None:
    """The next frame, or None where the other end is gone."""
    try:
        length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES))
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def frame(payload: bytes) -> bytes:
    """A payload, ready to be written."""
    if len(payload) > LARGEST_FRAME:
        raise StoreError(f"A message of {len(payload)} bytes is too large for the pipe.")
    return len(payload).to_bytes(_LENGTH_BYTES) + payload
