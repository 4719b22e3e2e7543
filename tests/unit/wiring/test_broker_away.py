"""A broker that does not answer keeps nobody from starting or working."""

from pathlib import Path

import pytest

from crawlmesh import Client, NewTask
from crawlmesh.settings import load_settings
from crawlmesh.wiring.master import Master
from crawlmesh.wiring.worker import make_worker


@pytest.mark.parametrize("address", ["amqp://u:secret@127.0.0.1:1/v", "kafka://127.0.0.1:1"])
async def test_master_and_worker_start_and_work_without_their_broker(address: str, tmp_path: Path) -> None:
    settings = load_settings(
        {
            "data_dir": tmp_path,
            "port": 0,
            "discovery": False,
            "log_file": "none",
            "task_channel": address,
            "event_bus": address,
        }
    )
    master = Master(settings)
    keys = await master.start()
    worker = await make_worker(settings, [master.url], keys.join_token, crawl_store=master.crawl_store)
    try:
        await worker.start()
        async with Client(master.url, api_key=keys.api_key) as client:
            task = await client.tasks.submit(NewTask(task_type="noop", parameters={"value": 1}))
            async for moment in client.tasks.watch(task.id, interval=0.05):
                status = moment.task.status
            assert status == "completed"
            found = await client.overview()
        assert found.task_channel is not None
        assert (found.task_channel.state, found.event_bus) == ("away", found.task_channel)
        assert "secret" not in found.task_channel.address
    finally:
        await worker.stop()
        await master.stop()
