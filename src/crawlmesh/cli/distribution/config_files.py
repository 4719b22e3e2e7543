"""The configuration files of a cluster, with the keys of S4."""

import json
from pathlib import Path
from typing import Any

from crawlmesh.settings import Mode, mode_file


def config_template(mode: Mode) -> dict[str, Any]:
    """What the file of a mode holds before anybody changed it. Empty texts leave the choice to Crawlmesh."""
    return {
        "mode": mode.value,
        "device_id": "",
        "device_name": "",
        "host": "127.0.0.1",
        "port": 0 if mode is Mode.WORKER else 8000,
        "master_url": "",
        "concurrent_tasks": 3,
        "task_timeout": 3600,
        "max_retry_count": 3,
        "dispatch_interval": 10,
        "load_balance_strategy": "least_tasks",
        "heartbeat_interval": 30,
        "timeout_check_interval": 60,
        "device_timeout": 300,
        "enable_monitoring": True,
        "api_key": "",
    }


def config_text(mode: Mode) -> str:
    """The same as the text of the file."""
    return json.dumps(config_template(mode), indent=2) + "\n"


def write_missing_files(folder: Path) -> dict[Path, bool]:
    """Write the files that are not there. Tells for each whether it was written now."""
    written = {}
    for mode in Mode:
        path = folder / mode_file(mode)
        written[path] = not path.exists()
        if written[path]:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(config_text(mode), encoding="utf-8")
    return written
