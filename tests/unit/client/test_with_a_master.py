"""The client and the real interface understand each other."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest

from crawlmesh import Client
from crawlmesh.api.server import make_server
from crawlmesh.errors import InvalidError, NotFoundError
from crawlmesh.testing.builders import all_fetched, crawl, lease_request, new_links
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
