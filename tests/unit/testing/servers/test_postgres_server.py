import os
import signal
import subprocess
import sys
from pathlib import Path

import asyncpg
import psutil
import pytest

from crawlmesh.testing.servers import PostgresServer, require_postgres
from crawlmesh.testing.servers import requirements as requirements_module
from crawlmesh.testing.servers.fixtures import Databases

OWNER_OF_A_SERVER = """
import sys
from crawlmesh.testing.servers import PostgresServer
server = PostgresServer(fsync=False)
server.start()
print(server.pid, flush=True)
sys.stdin.read()
"""


async def ask(dsn: str, statement: str) -> object:
    connection = await asyncpg.connect(dsn, timeout=10)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def test_it_answers_over_tcp_and_over_its_socket(postgres_server: PostgresServer) -> None:
    assert await ask(postgres_server.dsn(), "SELECT 1") == 1
    assert await ask(postgres_server.socket_dsn(), "SELECT 1") == 1


async def test_it_is_safe_unless_told_otherwise(
    postgres_server: PostgresServer, postgres_databases: Databases
) -> None:
    assert await ask(postgres_server.dsn(), "SHOW fsync") == "on"
    assert await ask(postgres_databases.server.dsn(), "SHOW fsync") == "off"


async def test_what_was_committed_survives_a_kill(postgres_server: PostgresServer) -> None:
    await ask(postgres_server.dsn(), "CREATE TABLE kept AS SELECT 7 AS number")
    port = postgres_server.port
    postgres_server.kill()
    assert postgres_server.pid is None
    with pytest.raises(OSError, match=str(port)):
        await ask(postgres_server.dsn(), "SELECT 1")
    postgres_server.start()
    assert postgres_server.port == port
    assert await ask(postgres_server.dsn(), "SELECT number FROM kept") == 7


async def test_a_restart_keeps_port_and_data(postgres_server: PostgresServer) -> None:
    await ask(postgres_server.dsn(), "CREATE TABLE kept AS SELECT 7 AS number")
    before = postgres_server.pid
    postgres_server.restart()
    assert postgres_server.pid != before
    assert await ask(postgres_server.dsn(), "SELECT number FROM kept") == 7


def test_nothing_is_left_behind() -> None:
    server = PostgresServer(fsync=False)
    with server:
        pid = server.pid
        folder = Path(server.socket_dsn().partition("host=")[2].partition("&")[0])
        assert folder.exists()
    server.close()
    assert pid is not None
    assert not psutil.pid_exists(pid)
    assert not folder.exists()


def test_it_dies_with_a_process_that_is_killed() -> None:
    require_postgres()
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER_OF_A_SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    server = psutil.Process(int(owner.stdout.readline()))
    folder = Path(server.cwd())
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    server.wait(timeout=60)
    assert not server.is_running()
    subprocess.run(["rm", "-r", str(folder.parent if folder.name == "data" else folder)], check=True)


async def test_each_database_is_a_copy_of_what_was_prepared(postgres_databases: Databases) -> None:
    prepared: list[str] = []

    async def prepare(dsn: str) -> None:
        prepared.append(dsn)
        await ask(dsn, "CREATE TABLE prepared AS SELECT 1 AS number")

    first = await postgres_databases.create("a test", prepare)
    second = await postgres_databases.create("a test", prepare)
    await ask(first, "DROP TABLE prepared")
    assert await ask(second, "SELECT number FROM prepared") == 1
    assert len(prepared) == 1
    for dsn in (first, second):
        await postgres_databases.drop(dsn)


def test_a_missing_server_skips_a_test_and_fails_it_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requirements_module, "_candidates", list)
    monkeypatch.setenv("CI", "")
    with pytest.raises(pytest.skip.Exception, match="PostgreSQL is not installed"):
        require_postgres()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="PostgreSQL is not installed"):
        require_postgres()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become somebody else")
def test_root_runs_it_as_somebody_else(postgres_server: PostgresServer) -> None:
    assert postgres_server.pid is not None
    assert psutil.Process(postgres_server.pid).uids().real != 0
