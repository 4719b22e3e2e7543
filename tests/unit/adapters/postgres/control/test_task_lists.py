"""Lists of tasks where every step reads very few rows: nothing is missed, and nothing comes twice."""

from collections.abc import AsyncIterator

import msgspec
import pytest
import pytest_asyncio

from crawlmesh.adapters.postgres.control import PostgresControlStore, task_lists
from crawlmesh.migrations import upgrade
from crawlmesh.model.query import TaskOrder, TaskQuery
from crawlmesh.testing.conformance.control_store import listing
from crawlmesh.testing.conformance.control_store.case import add_tasks
from crawlmesh.testing.conformance.control_store.listing import CONDITIONS, ORDERS
from crawlmesh.testing.servers.fixtures import Databases


@pytest_asyncio.fixture(params=[True, False], ids=["trigrams", "no trigrams"])
async def store(
    request: pytest.FixtureRequest, postgres_databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[PostgresControlStore]:
    for name, rows in (("_GLANCE", 2), ("_GLANCE_SHARE", 1), ("_FEW", 3), ("_WALK", 5)):
        monkeypatch.setattr(task_lists, name, rows)
    if not request.param:
        monkeypatch.setattr(PostgresControlStore, "_has_texts", False)
    dsn = await postgres_databases.create("task lists", upgrade)
    opened = await PostgresControlStore.open(dsn, migrate=False)
    yield opened
    await opened.aclose()
    await postgres_databases.drop(dsn)


@pytest.mark.parametrize("order", ORDERS)
async def test_every_condition_in_every_order(store: PostgresControlStore, order: TaskOrder) -> None:
    tasks = listing._mixed_tasks()
    await add_tasks(store, *tasks)
    for conditions in CONDITIONS:
        query = TaskQuery(order=order, limit=7, **conditions)
        found: list[str] = []
        for _ in range(100):
            page = await store.list_tasks(query)
            assert len(page.tasks) <= 7
            found += [task.id for task in page.tasks]
            if page.cursor is None:
                break
            query = msgspec.structs.replace(query, cursor=page.cursor)
        assert page.cursor is None
        assert found == listing._expected(tasks, order, conditions), conditions


@pytest.mark.parametrize(
    ("search", "word"),
    [
        ("needle-4711", "-4711"),
        ("https://shop-12345.example/", "-12345."),
        ("catalogue/4", "catalogue/"),
        ("01K8ABCDEFGHJKMNPQRS", "GHJKMNPQRS"),
        ("ab", None),
        ("://%_", None),
        ("ü", None),
    ],
)
def test_the_rarest_word_of_a_search(search: str, word: str | None) -> None:
    assert task_lists._rarest_word(search) == word
