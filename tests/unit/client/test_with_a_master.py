"""The client and the real interface understand each other."""

import asyncio
import io
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from crawlmesh import Client
from crawlmesh.adapters.files import FileRecordExport
from crawlmesh.api.server import make_server
from crawlmesh.crawl.preview import PagePreviews
from crawlmesh.errors import InvalidError, NotFoundError
from crawlmesh.model.page import FetchResponse
from crawlmesh.testing.builders import all_fetched, crawl, dead, lease_request, new_links, settlement
from crawlmesh.testing.manual_clock import ManualClock
from tests.unit.api.master import NOW, Master


@asynccontextmanager
async def _client(master: Master) -> AsyncIterator[Client]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = make_server(master.app, "127.0.0.1", port)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        async with Client(f"http://127.0.0.1:{port}", api_key=master.keys["admin"]) as client:
            yield client
    finally:
        server.should_exit = True
        await serving
        listener.close()


async def test_the_story_of_a_url_has_moments() -> None:
    master = await Master.start()
    task_id = await master.submit()
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id))
    await store.add(new_links(1, crawl_id=task_id))
    (batch,) = (await store.lease(lease_request(task_id))).batches
    await store.settle([all_fetched(batch)])
    async with _client(master) as client:
        story = await client.tasks.why(task_id, batch.links[0].url)
        assert await client.tasks.why(task_id, "https://example.com/unknown") is None
    assert story is not None
    assert (story.url, story.state) == (batch.links[0].url, "done")
    assert story.fetched_at == datetime.fromtimestamp(0.0, UTC)
    assert [attempt.at for attempt in story.attempts] == [datetime.fromtimestamp(NOW, UTC)]


async def test_clusters_are_made_with_the_fields_that_are_named() -> None:
    async with _client(await Master.start()) as client:
        made = await client.clusters.create(
            "east", project_id="p", description="d", configuration={"a": 1}, status="maintenance"
        )
        assert (made.name, made.project_id, made.description) == ("east", "p", "d")
        assert (made.configuration, made.status) == ({"a": 1}, "maintenance")
        assert await client.clusters.get(made.id) == made
        with pytest.raises(InvalidError, match="id is not a field"):
            await client.clusters.create("west", id="west")


@pytest.mark.parametrize("identity", ["", "a/b", "a:cancel"])
async def test_what_cannot_be_an_id_names_nothing(identity: str) -> None:
    async with Client("http://127.0.0.1:9") as client:
        for call in (client.tasks.get, client.nodes.get, client.clusters.get, client.keys.remove):
            with pytest.raises(NotFoundError, match=f"There is no .* {identity!r}"):
                await call(identity)


async def test_hosts_are_limited_blocked_and_freed() -> None:
    master = await Master.start()
    async with _client(master) as client:
        assert (await client.hosts.block("a.example:8080")).blocked
        limited = await client.hosts.limit("b.example", delay=2.0, slots=1)
        assert (limited.delay, limited.slots, limited.blocked) == (2.0, 1, False)
        assert (await client.hosts.block("b.example")).limits.delay == 2.0
        freed = await client.hosts.unblock("b.example")
        assert (freed.blocked, freed.limits.delay, freed.limits.slots) == (False, 2.0, 1)
        assert [host.host async for host in client.hosts.list(page_size=1)] == ["a.example:8080", "b.example"]
        assert [host.host async for host in client.hosts.list(search="b.")] == ["b.example"]
        await client.hosts.free("b.example")
        with pytest.raises(NotFoundError, match=r"There is no host 'b\.example'"):
            await client.hosts.get("b.example")


@pytest.mark.parametrize("host", ["", "..", "a/b"])
async def test_what_cannot_be_a_host_names_nothing(host: str) -> None:
    async with Client("http://127.0.0.1:9") as client:
        with pytest.raises(NotFoundError, match=f"There is no host {host!r}"):
            await client.hosts.get(host)


async def test_failures_are_listed_and_some_tried_again() -> None:
    master = await Master.start()
    task_id = await master.submit()
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id))
    await store.add(new_links(3, crawl_id=task_id))
    (batch,) = (await store.lease(lease_request(task_id))).batches
    reasons = ("dns", "http_500", "tls")
    ends = [dead(link, reason) for link, reason in zip(batch.links, reasons, strict=True)]
    await store.settle([settlement(batch, *ends)])
    async with _client(master) as client:
        assert [failure.reason async for failure in client.tasks.failures(task_id)] == list(reasons)
        (failure,) = [failure async for failure in client.tasks.failures(task_id, "dns")]
        assert (failure.url, failure.host, failure.attempts) == ("https://a.example/0", "a.example", 1)
        await client.tasks.retry_failed(task_id, reason="dns")
        await client.tasks.retry_failed(task_id, urls=["https://a.example/2"])
        assert [failure.reason async for failure in client.tasks.failures(task_id)] == ["http_500"]
        await client.tasks.retry_failed(task_id)
        assert [failure async for failure in client.tasks.failures(task_id)] == []


async def test_many_tasks_are_prioritized_at_once() -> None:
    master = await Master.start()
    task_id = await master.submit()
    async with _client(master) as client:
        first, second = await client.tasks.prioritize([task_id, "task-0"], 8)
        assert (first.id, first.status, first.error) == (task_id, "pending", None)
        assert "task-0" in (second.error or "")
        assert (await client.tasks.get(task_id)).priority == 8


async def test_the_newest_events_come_first() -> None:
    master = await Master.start()
    ids = [await master.submit() for _ in range(3)]
    async with _client(master) as client:
        newest = await client.recent_events(types=["task.created"], limit=2)
        assert [event.task_id for event in newest] == [ids[2], ids[1]]
        older = await client.recent_events(types=["task.created"], before=newest[-1].id)
        assert [event.task_id for event in older] == [ids[0]]


async def test_records_are_exported_into_a_file() -> None:
    master = await Master.start(record_export=FileRecordExport())
    task_id = await master.submit()
    store = master.context.crawl_store
    await store.create_crawl(crawl(task_id))
    await store.add(new_links(2, crawl_id=task_id))
    (batch,) = (await store.lease(lease_request(task_id))).batches
    await store.settle([all_fetched(batch)])
    async with _client(master) as client:
        file = io.BytesIO()
        assert await client.tasks.export(task_id, file, "csv") == len(file.getvalue())
        assert len(file.getvalue().splitlines()) == 3
        with pytest.raises(NotFoundError):
            await client.tasks.export("task-0", file, "csv")


async def test_a_page_is_previewed() -> None:
    async def fetch(url: str) -> FetchResponse:
        return FetchResponse(1, url, status=200, body=b"<h1>Things</h1>")

    previews = PagePreviews(fetch, ManualClock())
    async with _client(await Master.start(preview=previews.show)) as client:
        shown = await client.preview("a.example", selectors={"heading": "h1", "bad": "["})
    assert (shown.data, list(shown.field_problems)) == ({"heading": "Things"}, ["bad"])
    assert shown.outline[0].children[0].selector == "h1"
