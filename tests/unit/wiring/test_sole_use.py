from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import StoreLockedError
from crawlmesh.settings import Settings, load_settings
from crawlmesh.wiring.crawl import system_clock
from crawlmesh.wiring.master import Master
from crawlmesh.wiring.sole_use import sole_use
from crawlmesh.wiring.stores import open_control_store


def _settings(folder: Path, **flags: Any) -> Settings:
    return load_settings({"data_dir": folder, "port": 0, "discovery": False, "log_file": "none", **flags})


async def test_a_running_master_keeps_its_files_to_itself(tmp_path: Path) -> None:
    settings = _settings(tmp_path)
    master = Master(settings)
    await master.start()
    with pytest.raises(StoreLockedError, match=r"A master runs .*nothing was deleted"):
        async with sole_use(settings, has_tables=True):
            pass
    await master.stop()
    async with sole_use(settings, has_tables=True):
        with pytest.raises(StoreLockedError):
            await Master(settings).start()


async def test_a_lead_that_has_not_run_out_is_a_master_that_runs(tmp_path: Path, postgres_dsn: str) -> None:
    settings = _settings(tmp_path, control_store=postgres_dsn)
    store = await open_control_store(postgres_dsn)
    await store.lead("somebody", 60.0, system_clock().now())
    with pytest.raises(StoreLockedError, match=r"The master somebody leads .*nothing was deleted"):
        async with sole_use(settings, has_tables=True):
            pass
    await store.resign("somebody")
    async with sole_use(settings, has_tables=True):
        pass
    await store.aclose()
