"""The master's side of `POST /api/v1/nodes/{node_id}:crawl-store`."""

import asyncio
from collections import OrderedDict
from typing import Any

import msgspec

from crawlmesh.errors import CrawlmeshError, ForbiddenError, InvalidError
from crawlmesh.protocol.crawl_calls import (
    ENCODER,
    REQUEST_DECODER,
    Answer,
    Call,
    arguments_of,
    invoke,
    refusal,
)

NODE_METHODS = frozenset({"create_crawl", "add", "lease", "settle", "renew", "progress", "expire"})
_MOST_CALLS = 1_000  # in one request
_MOST_CLIENTS = 10_000
_MOST_BYTES = 64 * 1024 * 1024  # of answers that are remembered
_READING = frozenset(
    {"crawls", "progress", "hosts", "host_status", "all_hosts", "dead_links", "records", "explain"}
)


class _Client(msgspec.Struct):
    """The calls of one client that it may send again, by their number."""

    calls: dict[int, "asyncio.Task[Answer]"] = {}
    bytes: int = 0


class AnsweredCalls:
    """Remembers answers until their clients have them, so that a call which comes again is not made again.

    A lease whose answer got lost would otherwise bind links that nobody knows of until it runs out.
    The clients that were silent for longest are forgotten first.
    """

    def __init__(self, most_clients: int = _MOST_CLIENTS, most_bytes: int = _MOST_BYTES) -> None:
        self._most_clients = most_clients
        self._most_bytes = most_bytes
        self._clients: OrderedDict[tuple[str, str], _Client] = OrderedDict()
        self._bytes = 0

    @property
    def remembered_calls(self) -> int:
        """How many calls are under way, or have answers that their clients may not have."""
        return sum(len(client.calls) for client in self._clients.values())

    def open(self, node_id: str, client: str, open_from: int) -> _Client:
        """The client of a node, without the calls that it has the answers of."""
        key = (node_id, client)
        found = self._clients.setdefault(key, _Client())
        self._clients.move_to_end(key)
        for number in [number for number in found.calls if number < open_from]:
            self._forget(found, number)
        self._make_room(key)
        return found

    async def answer(self, client: _Client, call: Call, run: "asyncio.Task[Answer] | None") -> Answer:
        """The answer of a call that is under way or done; `run` is set where it is new."""
        task = client.calls.get(call.number)
        if task is None:
            assert run is not None
            task = client.calls[call.number] = run
            task.add_done_callback(lambda done: self._count(client, call.number, done))
        return await asyncio.shield(task)  # whoever asked may hang up, and ask again

    def _count(self, client: _Client, number: int, task: "asyncio.Task[Answer]") -> None:
        if client.calls.get(number) is not task:
            return
        if task.cancelled() or task.exception() is not None:
            del client.calls[number]  # it may be made again
            return
        size = len(bytes(task.result().result))
        client.bytes += size
        self._bytes += size

    def _forget(self, client: _Client, number: int) -> None:
        task = client.calls.pop(number)
        if task.done() and not task.cancelled() and task.exception() is None:
            size = len(bytes(task.result().result))
            client.bytes -= size
            self._bytes -= size

    def _make_room(self, keep: tuple[str, str]) -> None:
        while len(self._clients) > self._most_clients or self._bytes > self._most_bytes:
            oldest = next(iter(self._clients))
            if oldest == keep:
                return
            self._bytes -= self._clients.pop(oldest).bytes


async def answer_calls(
    store: Any,
    body: bytes,
    node_id: str | None,
    remembered: AnsweredCalls,
    allowed: frozenset[str] = NODE_METHODS,
) -> bytes:
    """Run the calls of a node on a `CrawlStore`, side by side. Raises InvalidError where `body` is none.

    A call that nodes may not make, or that speaks for another node, is answered with a ForbiddenError;
    the others of the same request are made all the same. Without a `node_id` any name may be used.
    """
    try:
        request = REQUEST_DECODER.decode(body)
    except msgspec.DecodeError as error:
        raise InvalidError(f"The body is not a request to the crawl store: {error}.") from error
    if len(request.calls) > _MOST_CALLS:
        raise InvalidError(f"A request may have at most {_MOST_CALLS} calls, not {len(request.calls)}.")
    client = remembered.open(node_id or "", request.client, request.open_from)
    answers = [_answer(store, call, node_id, remembered, client, allowed) for call in request.calls]
    return ENCODER.encode(await asyncio.gather(*answers))


async def _answer(
    store: Any,
    call: Call,
    node_id: str | None,
    remembered: AnsweredCalls,
    client: _Client,
    allowed: frozenset[str],
) -> Answer:
    try:
        if call.method not in allowed:
            raise ForbiddenError(f"A node may not call {call.method!r} of the crawl store.")
        arguments = arguments_of(call)
        if node_id is not None:
            _refuse_foreign_names(call.method, arguments, node_id)
        if call.method in _READING:
            return await invoke(store, call, arguments)
        run = None
        if call.number not in client.calls:
            run = asyncio.get_running_loop().create_task(invoke(store, call, arguments))
        return await remembered.answer(client, call, run)
    except CrawlmeshError as error:
        return refusal(call, error)


def _refuse_foreign_names(method: str, arguments: tuple[Any, ...], node_id: str) -> None:
    if method == "lease":
        name = arguments[0].node_id
    elif method == "expire":
        name, everything = arguments
        if everything or name is None:
            raise ForbiddenError("A node may end only leases of its own.")
    else:
        return
    if name != node_id and not name.startswith(f"{node_id}/"):
        raise ForbiddenError(f"The node {node_id} may not lease or end leases as {name!r}.")
