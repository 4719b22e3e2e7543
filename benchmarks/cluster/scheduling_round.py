"""What a scheduling round of 1,000 tasks costs, in a small cluster and in a large one, on SQLite."""

import random
import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import msgspec

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.adapters.sqlite.control_store import SqliteControlStore
from crawlmesh.control.context import ControlContext
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.schedule import Schedule
from crawlmesh.control.options import ControlOptions
from crawlmesh.migrations import upgrade
from crawlmesh.model.change import NodeChange
from crawlmesh.model.node import Node
from crawlmesh.model.query import Submission
from crawlmesh.model.task import Task
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.rules.compatibility import queue_of
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.wiring import system_clock

_BATCH = 5_000
_ROUNDS = 5
_PER_ROUND = 1_000
_STRATEGIES = ("least_loaded", "round_robin", "weighted", "geo_location")


@dataclass(frozen=True)
class Round:
    """The median of some rounds, after a first one that loads the fleet."""

    nodes: int
    pending: int
    milliseconds: float


async def run_rounds() -> tuple[Round, Round]:
    return await _measure(100, 10_000), await _measure(10_000, 1_000_000)


async def _measure(nodes: int, pending: int) -> Round:
    with tempfile.TemporaryDirectory(prefix="scheduling-bench-") as folder:
        path = Path(folder) / "control.db"
        await upgrade(f"sqlite:///{path}")
        store = await SqliteControlStore.open(path)
        try:
            await _fill(store, nodes, pending)
            return Round(nodes, pending, await _median_round(store))
        finally:
            await store.aclose()


async def _fill(store: ControlStore, nodes: int, pending: int) -> None:
    now = time.time()
    # Places for all rounds: as many on a hundred nodes as on ten thousand.
    slots = max(2 * _PER_ROUND * _ROUNDS // nodes, 2)
    changes = [NodeChange(node=_node(number, slots, now)) for number in range(nodes)]
    for start in range(0, nodes, _BATCH):
        await store.change_nodes(changes[start : start + _BATCH], now=now)
    for start in range(0, pending, _BATCH):
        tasks = [_task(number, now) for number in range(start, min(start + _BATCH, pending))]
        await store.submit([Submission(task=task) for task in tasks], now)


def _node(number: int, slots: int, now: float) -> Node:
    return Node(
        id=f"node-{number:08}",
        identity=f"node-{number}",
        name=f"node-{number}",
        region=("us-east", "us-west", "de", "cn")[number % 4],
        capabilities={"javascript_rendering": number % 2},
        resources={"cpu": 8.0, "memory_mb": 16384.0},
        slots=slots,
        last_heartbeat=now,
        created_at=now,
        updated_at=now,
    )


def _task(number: int, now: float) -> Task:
    task = Task(
        id=f"task-{number:012}",
        task_type="noop",
        parameters={"value": number},
        priority=number % 10 + 1,
        schedule_strategy=_STRATEGIES[number % len(_STRATEGIES)],
        target_region="us-east",
        created_at=now,
        updated_at=now,
    )
    return msgspec.structs.replace(task, queue=queue_of(task))


async def _median_round(store: ControlStore) -> float:
    clock = system_clock()
    context = ControlContext(
        store=store,
        crawl_store=MemoryCrawlStore(clock),
        clock=clock,
        options=ControlOptions(max_tasks_per_schedule=_PER_ROUND),
        strategies=builtin_strategies(),
        random=random.Random(1),
    )
    leadership = await store.lead("benchmark", 3_600, clock.now())
    assert leadership is not None
    lead = Lead(clock, leadership.fence, clock.monotonic() + 3_600)
    schedule = Schedule(context, lead, FleetView(context))
    assert await schedule.run_once(clock.now()) == _PER_ROUND  # loads the fleet
    taken = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        placed = await schedule.run_once(clock.now())
        taken.append((time.perf_counter() - begun) * 1000)
        assert placed == _PER_ROUND, f"only {placed} tasks were placed"
    return statistics.median(taken)
