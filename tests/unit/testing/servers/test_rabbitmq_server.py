import os
import signal
import subprocess
import sys
from pathlib import Path

import aiormq
import psutil
import pytest

from crawlmesh.testing.servers import rabbitmq_programs
from crawlmesh.testing.servers.rabbitmq import RabbitServer

pytestmark = pytest.mark.xdist_group("rabbitmq")

OWNER_OF_A_SERVER = """
import sys
from crawlmesh.testing.servers.rabbitmq import RabbitServer
server = RabbitServer()
server.start()
print(server.pid, server.folder, flush=True)
sys.stdin.read()
"""


async def count_and_publish(server: RabbitServer) -> int:
    """How many messages a durable queue had, before one more was published to it."""
    client = await aiormq.connect(server.address())
    try:
        channel = await client.channel()
        declared = await channel.queue_declare("kept", durable=True)
        persistent = aiormq.spec.Basic.Properties(delivery_mode=2)
        await channel.basic_publish(b"body", routing_key="kept", properties=persistent)
        return declared.message_count or 0
    finally:
        await client.close()


async def test_a_restart_and_a_kill_keep_port_and_data(rabbitmq_server: RabbitServer) -> None:
    port = rabbitmq_server.port
    before = await count_and_publish(rabbitmq_server)
    rabbitmq_server.restart()
    assert await count_and_publish(rabbitmq_server) == before + 1
    rabbitmq_server.kill()
    assert rabbitmq_server.pid is None
    with pytest.raises(OSError, match=str(port)):
        await aiormq.connect(rabbitmq_server.address())
    rabbitmq_server.start()
    assert rabbitmq_server.port == port
    assert await count_and_publish(rabbitmq_server) == before + 2


def test_it_dies_with_its_owner_and_so_does_its_epmd(rabbitmq_server: RabbitServer) -> None:
    """However the owner ends."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER_OF_A_SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with owner:
        assert owner.stdout is not None
        pid, folder = owner.stdout.readline().split()
        processes = psutil.Process(owner.pid).children(recursive=True)
        assert int(pid) in {process.pid for process in processes}
        assert any("epmd" in process.name() for process in processes)
        owner.send_signal(signal.SIGKILL)
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.mark.parametrize(("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)])
def test_without_rabbitmq_a_test_is_skipped_and_fails_on_ci(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def unpack(_: Path) -> None:
        raise OSError("no network")

    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(rabbitmq_programs, "find_rabbitmq", lambda: None)
    monkeypatch.setattr(rabbitmq_programs, "_unpacked", lambda: tmp_path / "unpacked")
    monkeypatch.setattr(rabbitmq_programs, "unpack_rabbitmq", unpack)
    with pytest.raises(outcome, match="RabbitMQ is not installed: apt install rabbitmq-server"):
        rabbitmq_programs.require_rabbitmq()


def test_the_folder_of_another_user_is_not_trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everybody may write to /tmp."""
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(rabbitmq_programs, "_system", lambda: None)
    monkeypatch.setattr(rabbitmq_programs, "_unpacked", lambda: tmp_path)
    owner = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: owner)
    with pytest.raises(pytest.fail.Exception, match="belongs to somebody else"):
        rabbitmq_programs.require_rabbitmq()
