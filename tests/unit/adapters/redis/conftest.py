"""A Redis of our own for the tests of this folder."""

import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawlmesh.testing.servers.server_process import ServerProcess, command_as


@pytest.fixture(scope="session")
def bloom_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server."""
    program = shutil.which("redis-server")
    if program is None:
        reason = "redis-server is not installed: apt install redis-server"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    folder: Path = tmp_path_factory.mktemp("redis")
    options = [
        "--port",
        "0",
        "--unixsocket",
        str(folder / "redis.sock"),
        "--save",
        "",
        "--logfile",
        "/dev/stderr",
    ]
    command = command_as("", [program, *options], signal.SIGTERM)
    server = ServerProcess(command, folder, "eady to accept connections")
    assert server.wait_ready(30), list(server.log)
    yield f"unix://{folder}/redis.sock"
    server.kill()
    assert server.wait_ended(30)
