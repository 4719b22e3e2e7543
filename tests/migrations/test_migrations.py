"""Bringing databases to a revision and back, with both kinds of database."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio
from alembic.script import ScriptDirectory

from crawlmesh import migrations
from crawlmesh.errors import SettingError, StoreError
from crawlmesh.migrations import current, downgrade, upgrade
from crawlmesh.migrations.revisions import newest_revision
from crawlmesh.model.access import ApiKey
from crawlmesh.model.cluster import Cluster
from crawlmesh.model.event import Event
from crawlmesh.model.execution import Execution
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.node import Heartbeat, Node
from crawlmesh.model.sample import Sample
from crawlmesh.model.task import Task
from tests.migrations.schema import run_statement, schema_of

_EXPECTED = Path(__file__).parent / "expected"

_KINDS: dict[str, type[msgspec.Struct]] = {
    "crawler_tasks": Task,
    "crawler_task_executions": Execution,
    "crawler_nodes": Node,
    "crawler_clusters": Cluster,
    "node_heartbeats": Heartbeat,
    "cluster_events": Event,
    "execution_logs": LogLine,
    "api_keys": ApiKey,
    "samples": Sample,
}

_CLUSTER = """
INSERT INTO crawler_clusters (id, name, created_at, updated_at) VALUES ('default', 'Default', 1, 1)
"""

_HAS_TRIGRAMS = "SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'"


@pytest_asyncio.fixture(params=["sqlite", "postgresql"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[str]:
    """The address of an empty database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'control.db'}"
        return
    databases = request.getfixturevalue("postgres_databases")
    dsn = await databases.create()
    yield dsn
    await databases.drop(dsn)


async def test_an_empty_database_has_no_revision(url: str) -> None:
    assert await current(url) is None


async def test_the_tables_are_those_that_are_expected(url: str) -> None:
    await upgrade(url)
    expected = (_EXPECTED / f"{url.partition(':')[0]}.txt").read_text().splitlines()
    if url.startswith("postgresql:") and not await run_statement(url, _HAS_TRIGRAMS):
        expected = [line for line in expected if "gin_trgm_ops" not in line]
    assert await schema_of(url) == expected


async def test_every_field_of_the_model_has_a_column(url: str) -> None:
    await upgrade(url)
    for table, kind in _KINDS.items():
        fields = {field.name for field in msgspec.structs.fields(kind)} - {"health"}  # it has three columns
        assert await run_statement(url, f"SELECT {', '.join(sorted(fields))} FROM {table}") == []


async def test_down_and_up_again_leads_to_the_same_tables(url: str) -> None:
    await upgrade(url)
    tables = await schema_of(url)
    await downgrade(url, "base")
    assert await current(url) is None
    assert await schema_of(url) == []
    await upgrade(url)
    assert await schema_of(url) == tables
    assert await current(url) == newest_revision()


async def test_what_is_stored_survives_an_upgrade(url: str) -> None:
    await upgrade(url)
    await run_statement(url, _CLUSTER)
    await upgrade(url)
    assert await run_statement(url, "SELECT id, name FROM crawler_clusters") == [("default", "Default")]


async def test_tasks_of_before_can_be_searched_for(postgres_dsn: str) -> None:
    await upgrade(postgres_dsn, "0004")
    await run_statement(
        postgres_dsn,
        "INSERT INTO crawler_tasks (id, task_type, parameters, project_id, fence, queue, open_places,"
        " created_at, updated_at) VALUES ('Task-1', 'x', '{\"Url\": 1}', 'default', 1, 'q', 0, 1, 1)",
    )
    await upgrade(postgres_dsn)
    found = await run_statement(postgres_dsn, "SELECT task_id, text FROM task_texts")
    assert found == [("Task-1", 'task-1\n{"url": 1}')]


async def test_where_trigrams_may_not_be_used_all_but_their_index_is_there(postgres_dsn: str) -> None:
    name = f"{postgres_dsn.rpartition('/')[2]}_user"
    for statement in (
        f"CREATE ROLE {name} LOGIN",
        f"GRANT ALL ON SCHEMA public TO {name}",  # but not the right to create an extension
    ):
        await run_statement(postgres_dsn, statement)
    try:
        theirs = postgres_dsn.replace("postgres@", f"{name}@", 1)
        await upgrade(theirs)
        assert await current(theirs) == newest_revision()
        assert await run_statement(theirs, "SELECT to_regclass('idx_task_texts')") == [(None,)]
    finally:
        for statement in (f"DROP OWNED BY {name}", f"DROP ROLE {name}"):
            await run_statement(postgres_dsn, statement)


async def test_sessions_do_not_become_keys_where_a_revision_without_sessions_is_restored(url: str) -> None:
    await upgrade(url)
    for key_id, session_of in (("key-1", "NULL"), ("session-1", "'key-1'")):
        await run_statement(
            url,
            "INSERT INTO api_keys (id, name, role, hash, created_at, session_of)"
            f" VALUES ('{key_id}', 'ci', 'viewer', '{key_id}', 1, {session_of})",
        )
    await downgrade(url, "0002")
    assert await run_statement(url, "SELECT id FROM api_keys") == [("key-1",)]
    await upgrade(url)
    assert await run_statement(url, "SELECT id, session_of FROM api_keys") == [("key-1", None)]


def test_files_are_named_after_their_revisions() -> None:
    script = ScriptDirectory(str(Path(migrations.__file__).parent))
    assert newest_revision() == script.get_current_head()


async def test_masters_that_start_at_once_lay_the_tables_once(url: str) -> None:
    await asyncio.gather(*(upgrade(url) for _ in range(4)))
    assert await current(url) == newest_revision()


async def test_a_database_of_a_newer_version_is_refused_and_left_alone(url: str) -> None:
    await upgrade(url)
    await run_statement(url, "UPDATE crawlmesh_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="newer Crawlmesh"):
        await upgrade(url)
    assert await current(url) == "9999"


async def test_an_unknown_revision_is_refused(url: str) -> None:
    with pytest.raises(StoreError, match="nowhere"):
        await upgrade(url, "nowhere")
    assert await current(url) is None


async def test_another_kind_of_address_is_refused_without_showing_it() -> None:
    with pytest.raises(SettingError, match="postgresql://") as raised:
        await upgrade("mysql://user:secret@host/database")
    assert "secret" not in str(raised.value)


async def test_a_folder_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"control\.db"):
        await upgrade(f"sqlite:///{tmp_path / 'missing' / 'control.db'}")


async def test_a_server_that_does_not_answer_is_told_so() -> None:
    with pytest.raises(StoreError, match="does not answer"):
        await upgrade("postgresql://user:secret@127.0.0.1:1/database")
