"""Many callers at once: every call is whole, and counters stay right."""

import asyncio

from crawlmesh.model.query import Submission
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_tasks,
    assert_counted,
    ended,
    new_task,
    placed,
    snapshot,
)


class Concurrency(ControlStoreCase):
    """Calls that come at the same time."""

    async def test_each_task_is_placed_once(self, store: ControlStore) -> None:
        """Though several schedulers want each, and nodes report meanwhile."""
        tasks = [new_task(number) for number in range(40)]
        await add_tasks(store, *tasks)

        async def schedule(scheduler: int) -> int:
            won = 0
            for task in tasks[scheduler:] + tasks[:scheduler]:
                change = placed(task, f"node-{scheduler:03}", scheduler * 1000 + int(task.id[5:]))
                (taken,) = await store.change_tasks([change])
                if taken:
                    won += 1
                    assert await store.change_tasks([ended(change)] * 2) == [True, False]
            return won

        assert sum(await asyncio.gather(*(schedule(scheduler) for scheduler in range(4)))) == len(tasks)
        found = await snapshot(store)
        assert_counted(found)
        assert found.by_status == {"completed": len(tasks)}
        assert len(found.executions) == len(tasks)

    async def test_a_key_makes_one_task(self, store: ControlStore) -> None:
        """However many ask with it."""
        submissions = [
            Submission(task=new_task(number, dedup_key="url"), idempotency_key="key" if number % 2 else None)
            for number in range(20)
        ]
        answers = await asyncio.gather(*(store.submit([each], NOW) for each in submissions))
        assert len({task.id for (task,) in answers}) == 1
        assert_counted(await snapshot(store))

    async def test_one_of_many_leads(self, store: ControlStore) -> None:
        """The others are told so."""
        answers = await asyncio.gather(*(store.lead(f"master-{number}", 10.0, NOW) for number in range(8)))
        assert sum(answer is not None for answer in answers) == 1
