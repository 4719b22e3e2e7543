"""Masters and workers in one process, put together as the command does it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from crawlmesh import Client, NewTask
from crawlmesh.errors import (
    ConflictError,
    InvalidError,
    NotFoundError,
    SettingError,
    StoreLockedError,
    UnauthenticatedError,
)
from crawlmesh.settings import Settings, load_settings
from crawlmesh.wiring.keys import MasterKeys
from crawlmesh.wiring.master import Master
from crawlmesh.wiring.worker import make_worker


def _settings(folder: Path, **flags: Any) -> Settings:
    usual = {"data_dir": folder, "port": 0, "discovery": False, "log_file": "none"}
    return load_settings({**usual, **flags})


@asynccontextmanager
async def _running(settings: Settings) -> AsyncIterator[tuple[Master, MasterKeys]]:
    master = Master(settings)
    keys = await master.start()
    try:
        yield master, keys
    finally:
        await master.stop()
        await master.stop()


@asynccontextmanager
async def _cluster(settings: Settings) -> AsyncIterator[Client]:
    async with _running(settings) as (master, keys):
        worker = await make_worker(settings, [master.url], keys.join_token, crawl_store=master.crawl_store)
        await worker.start()
        try:
            async with Client(master.url, api_key=keys.api_key) as client:
                yield client
        finally:
            await worker.stop()
            await worker.stop()


async def _end_of(client: Client, task_id: str) -> str:
    async for moment in client.tasks.watch(task_id, interval=0.05):
        status = moment.task.status
    return status


async def test_a_client_can_do_everything_with_a_task(tmp_path: Path) -> None:
    async with _cluster(_settings(tmp_path)) as client:
        submitted = await client.tasks.submit(NewTask(task_type="noop", parameters={"n": 1}, priority=7))
        assert await _end_of(client, submitted.id) == "completed"
        task = await client.tasks.get(submitted.id)
        assert task.result is not None
        assert task.result.success
        (execution,) = await client.tasks.executions(task.id)
        assert execution.node_id == task.assigned_node
        assert all([line.level async for line in client.tasks.logs(task.id, follow=True)])
        assert [record async for record in client.tasks.records(task.id)] == []
        assert (await client.tasks.progress(task.id)).added == 0
        assert await client.tasks.hosts(task.id) == []
        assert await client.tasks.why(task.id, "https://example.com/") is None
        assert (await client.tasks.explain(task.id)).sentences
        assert (await client.tasks.stats())["by_status"]["completed"] == 1
        assert (await client.tasks.retry(task.id)).status in {
            "pending",
            "assigned",
            "processing",
            "completed",
        }


async def test_a_client_can_steer_tasks_that_wait(tmp_path: Path) -> None:
    async with (
        _running(_settings(tmp_path)) as (master, keys),
        Client(master.url, api_key=keys.api_key) as client,
    ):
        tasks = await client.tasks.submit_many([NewTask(task_type="noop") for _ in range(3)])
        first = tasks[0].id
        assert (await client.tasks.pause(first)).status == "paused"
        assert (await client.tasks.resume(first)).status == "pending"
        assert (await client.tasks.reprioritize(first, 9)).priority == 9
        assert (await client.tasks.cancel(first)).status == "cancelled"
        with pytest.raises(ConflictError):
            await client.tasks.pause(first)
        listed = [task.id async for task in client.tasks.list(status="pending", page_size=1)]
        assert sorted(listed) == sorted(task.id for task in tasks[1:])
        with pytest.raises(NotFoundError):
            await client.tasks.get("task-none")
        with pytest.raises(InvalidError) as caught:
            await client.tasks.submit("ftp://example.com/")
        assert caught.value.field == "parameters.url"


async def test_a_client_can_look_at_nodes_clusters_keys_and_events(tmp_path: Path) -> None:
    async with _cluster(_settings(tmp_path, device_id="one", region="us")) as client:
        (node,) = [node async for node in client.nodes.list(region="us")]
        assert (node.id, node.status) == ("one", "online")
        assert (await client.nodes.get("one")).slots == 32
        assert (await client.nodes.stats("one"))["slots"] == 32
        assert await client.nodes.executions("one") == []
        assert all(heartbeat.usage for heartbeat in await client.nodes.heartbeats("one"))
        assert (await client.nodes.maintenance("one")).status == "maintenance"
        assert (await client.nodes.resume("one")).status == "online"
        made = await client.clusters.create("east", description="d")
        assert (await client.clusters.update(made.id, status="inactive")).status == "inactive"
        assert (await client.clusters.get(made.id)).name == "east"
        assert [cluster.id for cluster in await client.clusters.list() if cluster.name == "default"]
        await client.clusters.remove(made.id)
        key = await client.keys.create("reader", "viewer")
        assert key.key
        assert {each.name for each in await client.keys.list()} >= {"reader"}
        await client.keys.remove(key.id)
        assert (await client.overview()).nodes["online"] == 1
        assert (await client.whoami())["role"] == "admin"
        assert (await client.health())["status"] == "ok"
        async for event in client.events(after=0, types=["node.registered"]):
            assert event.node_id == "one"
            break


async def test_without_a_key_nothing_is_told(tmp_path: Path) -> None:
    async with _running(_settings(tmp_path)) as (master, _), Client(master.url) as client:
        with pytest.raises(UnauthenticatedError):
            await client.overview()


async def test_a_port_in_use_and_a_folder_in_use_are_refused(tmp_path: Path) -> None:
    async with _running(_settings(tmp_path)) as (master, _):
        port = int(master.url.rpartition(":")[2])
        with pytest.raises(SettingError, match=f"port has the value {port}, which is in use"):
            await Master(_settings(tmp_path / "other", port=port)).start()
        with pytest.raises(StoreLockedError):
            await Master(_settings(tmp_path)).start()


async def test_a_worker_with_a_wrong_token_may_not_join(tmp_path: Path) -> None:
    settings = _settings(tmp_path, mode="worker")
    async with _running(_settings(tmp_path)) as (master, _):
        worker = await make_worker(settings, [master.url], "wrong")
        with pytest.raises(UnauthenticatedError):
            await worker.start()
        await worker.stop()


async def test_an_unknown_strategy_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="round_robin"):
        await Master(_settings(tmp_path, load_balance_strategy="best")).start()


async def test_two_masters_share_a_server(tmp_path: Path, postgres_dsn: str) -> None:
    one = _settings(tmp_path / "one", control_store=postgres_dsn, api_key="the-admin-key-of-both")
    two = _settings(tmp_path / "two", control_store=postgres_dsn, api_key="the-admin-key-of-both")
    async with _running(one) as (first, _), _running(two) as (second, _):
        async with Client([second.url, first.url], api_key="the-admin-key-of-both") as client:
            task = await client.tasks.submit(NewTask(task_type="noop"))
        async with Client(first.url, api_key="the-admin-key-of-both") as client:
            assert (await client.tasks.get(task.id)).status == "pending"


async def test_what_the_scheduler_did_is_among_the_metrics(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    async with _running(settings) as (master, keys):
        worker = await make_worker(settings, [master.url], keys.join_token)
        await worker.start()
        async with Client(master.url, api_key=keys.api_key) as client:
            task = await client.tasks.submit(NewTask(task_type="noop"))
            assert await _end_of(client, task.id) == "completed"
        headers = {"Authorization": f"Bearer {keys.api_key}"}
        async with (
            aiohttp.ClientSession() as session,
            session.get(f"{master.url}/metrics", headers=headers) as answer,
        ):
            text = await answer.text()
        await worker.stop()
    assert "\ncrawlmesh_tasks_placed_total 1.0\n" in text
    assert "\ncrawlmesh_scheduling_rounds_total 0.0\n" not in text
