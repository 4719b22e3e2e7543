"""A process that writes into a control store until it is killed, and says what was stored.

Started by test_sqlite_control_store with the path of the file and the number of the run.
"""

import asyncio
import sys
from pathlib import Path

from crawlmesh.adapters.sqlite.control_store import SqliteControlStore
from crawlmesh.model.query import Submission
from crawlmesh.testing.conformance.control_store.case import new_event, new_task, placed


async def write_for_ever(path: Path, run: int) -> None:
    store = await SqliteControlStore.open(path)
    lead = await store.lead(f"master-{run}", 10.0, 1_000.0 + 100.0 * run)
    assert lead is not None
    sys.stdout.write(f"fence {lead.fence}\n")
    number = run * 1_000_000
    while True:
        tasks = [new_task(number + offset) for offset in range(20)]
        await store.submit([Submission(task=task, events=(new_event(),)) for task in tasks], 0.0)
        changes = [placed(task, number=number + offset) for offset, task in enumerate(tasks[:10])]
        assert all(await store.change_tasks(changes))
        sys.stdout.write(f"stored {number}\n")
        sys.stdout.flush()
        number += 20


if __name__ == "__main__":
    asyncio.run(write_for_ever(Path(sys.argv[1]), int(sys.argv[2])))
