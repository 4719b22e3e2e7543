"""Calls of a crawl store that somebody else owns, and their answers: MessagePack, arguments in order.

They go over pipes between the processes of one machine, and over HTTP between nodes and masters.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from crawlmesh import errors
from crawlmesh.errors import CrawlmeshError, StoreError
from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.host import HostLimits, HostStatus
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import DeadLink, LedgerEntry, Record


class Call(msgspec.Struct, array_like=True, frozen=True):
    """A call of a method of the store. Numbers of one client only grow."""

    number: int
    method: str
    arguments: msgspec.Raw


class Answer(msgspec.Struct, array_like=True, frozen=True):
    """What a call returned, or the error that it raised."""

    number: int
    result: msgspec.Raw
    error: str = ""  # class name
    message: str = ""


class CallRequest(msgspec.Struct, array_like=True, frozen=True):
    """Calls that go together. The answer to it is a list of `Answer`, in the same order.

    `client` is a name that its process made up for itself. Every call below `open_from` has been
    answered, as far as the client is concerned; the others may come again until they are.
    """

    client: str
    open_from: int
    calls: list[Call]


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
    "dead_links": (tuple[str, str | None, int, int], list[DeadLink]),
    "retry_dead": (tuple[str, str | None, list[bytes] | None], int),
    "recrawl": (tuple[str], int),
    "progress": (tuple[str], CrawlProgress),
    "hosts": (tuple[str, int], list[HostProgress]),
    "limit_host": (tuple[str, HostLimits], None),
    "host_status": (tuple[str], HostStatus | None),
    "all_hosts": (tuple[str, int, str], list[HostStatus]),
    "records": (tuple[str, int, int], list[Record]),
    "explain": (tuple[str, bytes], LedgerEntry | None),
    "expire": (tuple[str | None, bool], int),
}

ENCODER = msgspec.msgpack.Encoder()
ARGUMENT_DECODERS = {name: msgspec.msgpack.Decoder(types[0]) for name, types in METHODS.items()}
RESULT_DECODERS = {name: msgspec.msgpack.Decoder(types[1]) for name, types in METHODS.items()}
CALL_DECODER = msgspec.msgpack.Decoder(Call)
ANSWER_DECODER = msgspec.msgpack.Decoder(Answer)
REQUEST_DECODER = msgspec.msgpack.Decoder(CallRequest)
ANSWERS_DECODER = msgspec.msgpack.Decoder(list[Answer])

_NOTHING = msgspec.Raw(ENCODER.encode(None))

RunCall = Callable[[Call], Awaitable[Answer]]


def make_call(number: int, method: str, arguments: tuple[Any, ...]) -> Call:
    """A call, ready to be sent."""
    return Call(number, method, msgspec.Raw(ENCODER.encode(arguments)))


def result_of(method: str, answer: Answer) -> Any:
    """What a call returned. Raises the error that the store raised at the other end."""
    if answer.error:
        raise error_from(answer)
    return RESULT_DECODERS[method].decode(answer.result)


def error_from(answer: Answer) -> CrawlmeshError:
    """The error that the store raised at the other end."""
    kind = getattr(errors, answer.error, StoreError)
    error: CrawlmeshError = kind(answer.message)
    return error


def refusal(call: Call, error: CrawlmeshError) -> Answer:
    """The answer that carries an error."""
    return Answer(call.number, _NOTHING, type(error).__name__, str(error))


def arguments_of(call: Call) -> tuple[Any, ...]:
    """The arguments of a call. Raises StoreError where there is no such method, or they do not fit it."""
    decoder = ARGUMENT_DECODERS.get(call.method)
    if decoder is None:
        raise StoreError(f"The store has no method {call.method!r}.")
    try:
        arguments: tuple[Any, ...] = decoder.decode(call.arguments)
    except msgspec.DecodeError as error:
        raise StoreError(f"The arguments of {call.method!r} cannot be read: {error}.") from error
    return arguments


async def run_call(store: Any, call: Call) -> Answer:
    """Do what a call asks of a `crawlmesh.ports.crawl_store.CrawlStore`. Errors of ours become answers."""
    try:
        return await invoke(store, call, arguments_of(call))
    except CrawlmeshError as error:
        return refusal(call, error)


async def invoke(store: Any, call: Call, arguments: tuple[Any, ...]) -> Answer:
    """Call the method. Raises what it raises."""
    if call.method == "expire":
        node_id, everything = arguments
        result = await store.expire(node_id=node_id, everything=everything)
    else:
        result = await getattr(store, call.method)(*arguments)
    return Answer(call.number, msgspec.Raw(ENCODER.encode(result)))
