from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import StoreLockedError
from crawlmesh.settings import Settings, load_settings
from crawlmesh.wiring.worker import make_worker

NOWHERE = ["http://127.0.0.1:9"]


def _settings(folder: Path, **flags: Any) -> Settings:
    return load_settings({"data_dir": folder, "mode": "worker", "log_file": "none", **flags})


async def test_two_workers_cannot_be_the_same_node(tmp_path: Path) -> None:
    first = await make_worker(_settings(tmp_path), NOWHERE, "token")
    with pytest.raises(StoreLockedError, match=r"Another worker .*--device-id or --data-dir"):
        await make_worker(_settings(tmp_path), NOWHERE, "token")
    beside = await make_worker(_settings(tmp_path, device_id="beside"), NOWHERE, "token")
    await first.stop()
    again = await make_worker(_settings(tmp_path), NOWHERE, "token")
    await again.stop()
    await beside.stop()


async def test_an_abort_ends_a_worker_that_never_found_a_master(tmp_path: Path) -> None:
    worker = await make_worker(_settings(tmp_path), NOWHERE, "token")
    await worker.abort()
    await worker.abort()
    await worker.stop()
