"""The description and the server agree: schemathesis tries all that it allows, and what it forbids."""

import os
import subprocess
import sys
from pathlib import Path

from tests.acceptance.served_master import served_master

_CONFIG = Path(__file__).with_name("schemathesis.toml")
_LEFT_OUT = (
    "stream_events",  # never ends by itself
    "call_crawl_store",  # MessagePack, tested with its own messages
)


def test_a_running_master_does_what_its_description_says(tmp_path: Path) -> None:
    with served_master() as master:
        command = [sys.executable, "-m", "schemathesis.cli", f"--config-file={_CONFIG}"]
        command += ["run", f"{master.url}/openapi.json"]
        command += ["--checks=all", "--seed=1", "--max-examples=3", "--max-time=45", "--no-color"]
        command += [f"--exclude-operation-id={operation_id}" for operation_id in _LEFT_OUT]
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env={
                **os.environ,
                "CRAWLMESH_TEST_ADMIN_KEY": master.admin_key,
                "CRAWLMESH_TEST_NODE_TOKEN": master.node.token,
            },
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
    assert done.returncode == 0, done.stdout + done.stderr
