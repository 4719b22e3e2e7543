import asyncio

import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.errors import ForbiddenError, InvalidError, StoreError, UnknownCrawlError
from crawlmesh.model.host import HostLimits
from crawlmesh.model.lease import LeaseGrant
from crawlmesh.protocol.crawl_call_answers import AnsweredCalls, answer_calls
from crawlmesh.protocol.crawl_calls import (
    ANSWERS_DECODER,
    ENCODER,
    Answer,
    Call,
    CallRequest,
    make_call,
    result_of,
)
from crawlmesh.testing.builders import crawl, lease_request, new_links
from crawlmesh.testing.manual_clock import ManualClock


@pytest.fixture
async def store() -> MemoryCrawlStore:
    store = MemoryCrawlStore(ManualClock())
    await store.create_crawl(crawl())
    await store.add(new_links(4))
    return store


def _body(*calls: Call, client: str = "client", open_from: int = 1) -> bytes:
    return ENCODER.encode(CallRequest(client, open_from, list(calls)))


async def _ask(store: MemoryCrawlStore, body: bytes, remembered: AnsweredCalls | None = None) -> list[Answer]:
    return ANSWERS_DECODER.decode(await answer_calls(store, body, "node-1", remembered or AnsweredCalls()))


def _lease(number: int, node_id: str = "node-1/1") -> Call:
    return make_call(number, "lease", (lease_request(node_id=node_id),))


async def test_calls_are_answered_in_order(store: MemoryCrawlStore) -> None:
    answers = await _ask(
        store, _body(make_call(1, "progress", ("crawl",)), make_call(2, "progress", ("nobody",)))
    )
    assert [answer.number for answer in answers] == [1, 2]
    assert result_of("progress", answers[0]).pending == 4
    with pytest.raises(UnknownCrawlError):
        result_of("progress", answers[1])


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("delete_crawl", ("crawl",)),
        ("retry_dead", ("crawl", None, None)),
        ("dead_links", ("crawl", None, 0, 10)),
        ("recrawl", ("crawl",)),
        ("update_crawl", (crawl(),)),
        ("crawls", ()),
        ("records", ("crawl", 0, 10)),
        ("limit_host", ("a.example", HostLimits(blocked=True))),
        ("host_status", ("a.example",)),
        ("all_hosts", ("", 10, "")),
        ("expire", (None, True)),
        ("expire", (None, False)),
        ("expire", ("node-2/1", False)),
        ("expire", ("node-10", False)),
        ("aclose", ()),
    ],
)
async def test_what_nodes_may_not_do_is_refused(
    store: MemoryCrawlStore, method: str, arguments: tuple[object, ...]
) -> None:
    (answer,) = await _ask(store, _body(make_call(1, method, arguments)))
    assert answer.error == "ForbiddenError"
    assert (await store.progress("crawl")).pending == 4


@pytest.mark.parametrize("name", ["node-2", "node-10/1", "", "node-1x"])
async def test_leases_under_a_foreign_name_are_refused(store: MemoryCrawlStore, name: str) -> None:
    (answer,) = await _ask(store, _body(_lease(1, name)))
    with pytest.raises(ForbiddenError):
        result_of("lease", answer)
    assert (await store.progress("crawl")).leased == 0


async def test_own_leases_may_be_ended(store: MemoryCrawlStore) -> None:
    answers = await _ask(store, _body(_lease(1)))
    assert result_of("lease", answers[0]).batches
    (answer,) = await _ask(store, _body(make_call(2, "expire", ("node-1/1", False))))
    assert result_of("expire", answer) == 1


async def test_a_repeated_lease_is_the_same_lease(store: MemoryCrawlStore) -> None:
    remembered = AnsweredCalls()
    first = await _ask(store, _body(_lease(1)), remembered)
    again = await _ask(store, _body(_lease(1)), remembered)
    assert first == again
    grant: LeaseGrant = result_of("lease", again[0])
    assert len(grant.batches) == 1
    other = await _ask(store, _body(_lease(1), client="another"), remembered)
    assert result_of("lease", other[0]).batches == ()


async def test_a_call_that_comes_again_while_it_runs_is_made_once(
    store: MemoryCrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    released, calls = asyncio.Event(), []
    lease = store.lease

    async def slow(request: object) -> LeaseGrant:
        calls.append(request)
        await released.wait()
        return await lease(request)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "lease", slow)
    remembered = AnsweredCalls()
    first = asyncio.ensure_future(_ask(store, _body(_lease(1)), remembered))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    first.cancel()  # its connection broke
    again = asyncio.ensure_future(_ask(store, _body(_lease(1)), remembered))
    await asyncio.sleep(0)
    released.set()
    (answer,) = await again
    assert len(result_of("lease", answer).batches) == 1
    assert len(calls) == 1


async def test_answers_are_forgotten_once_the_client_has_them(store: MemoryCrawlStore) -> None:
    remembered = AnsweredCalls()
    await _ask(store, _body(_lease(1)), remembered)
    assert remembered.remembered_calls == 1
    await _ask(store, _body(make_call(2, "progress", ("crawl",)), open_from=2), remembered)
    assert remembered.remembered_calls == 0


async def test_the_memory_of_silent_clients_is_bounded(store: MemoryCrawlStore) -> None:
    remembered = AnsweredCalls(most_clients=2)
    for client in ("a", "b", "c"):
        await _ask(store, _body(_lease(1), client=client), remembered)
    assert remembered.remembered_calls == 2
    small = AnsweredCalls(most_bytes=1)
    for client in ("a", "b", "c"):
        await _ask(store, _body(_lease(1), client=client), small)
    assert small.remembered_calls <= 2


async def test_a_call_that_failed_may_be_made_again(
    store: MemoryCrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def full(_: object) -> LeaseGrant:
        raise StoreError("full")

    remembered = AnsweredCalls()
    with monkeypatch.context() as patch:
        patch.setattr(store, "lease", full)
        (answer,) = await _ask(store, _body(_lease(1)), remembered)
        assert answer.error == "StoreError"
    (answer,) = await _ask(store, _body(_lease(1)), remembered)
    assert result_of("lease", answer).batches


async def test_rubbish_is_refused(store: MemoryCrawlStore) -> None:
    with pytest.raises(InvalidError, match="not a request"):
        await _ask(store, b"rubbish")
    (answer,) = await _ask(store, _body(make_call(1, "progress", (5,))))
    assert "cannot be read" in answer.message
    calls = [make_call(number, "progress", ("crawl",)) for number in range(1_001)]
    with pytest.raises(InvalidError, match="at most"):
        await _ask(store, _body(*calls))
