"""A master on memory stores and a manual clock, with short words for what tests do all the time."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from crawlmesh.adapters.memory.control_store import MemoryControlStore
from crawlmesh.adapters.memory.crawl_store import MemoryCrawlStore
from crawlmesh.control.context import ControlContext, ControlOptions
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.schedule import Schedule
from crawlmesh.control.pull import pull
from crawlmesh.control.register_node import register_node
from crawlmesh.control.report import report
from crawlmesh.control.submit_tasks import submit_tasks
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.execution import Assignment, Execution
from crawlmesh.model.node import Node
from crawlmesh.model.query import EventQuery
from crawlmesh.model.task import Task, TaskResult
from crawlmesh.protocol.node_messages import (
    ExecutionReport,
    PullAnswer,
    PullMessage,
    Registered,
    Registration,
    ReportMessage,
)
from crawlmesh.protocol.task_messages import NewTask
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.testing.builders import all_fetched, lease_request, seed
from crawlmesh.testing.manual_clock import ManualClock

Hook = Callable[[], Awaitable[None]]


class CountingStore(MemoryControlStore):
    """Notes what it is asked for, and lets a test do something once before a call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.before: dict[str, Hook] = {}

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or name in ("calls", "before", "mark", "shared"):
            return found

        async def call(*arguments: Any, **options: Any) -> Any:
            self.calls.append(name)
            if hook := self.before.pop(name, None):
                await hook()
            return await found(*arguments, **options)

        return call


class ControlKit:
    """One master. `leads` makes it the leader, which the loops need."""

    def __init__(self, **options: Any) -> None:
        self.clock = ManualClock()
        self.store = CountingStore()
        self.crawl_store = MemoryCrawlStore(self.clock)
        self.context = self.another_master(**options)
        self.lead = Lead(self.clock, 1, float("inf"))
        self.view = FleetView(self.context)
        self.schedule = Schedule(self.context, self.lead, self.view)

    def another_master(self, **options: Any) -> ControlContext:
        return ControlContext(
            store=self.store,
            crawl_store=self.crawl_store,
            clock=self.clock,
            options=ControlOptions(**options),
            strategies=builtin_strategies(),
            random=Random(1),
        )

    @property
    def now(self) -> float:
        return self.clock.now()

    async def leads(self) -> None:
        leadership = await self.store.lead("test", 1e9, self.now)
        assert leadership is not None
        self.lead = Lead(self.clock, leadership.fence, float("inf"))
        self.view = FleetView(self.context)
        self.schedule = Schedule(self.context, self.lead, self.view)

    async def join(self, name: str = "a", **fields: Any) -> Registered:
        return await register_node(self.context, Registration(name=name, device_id=name, **fields))

    async def submit(self, count: int = 1, **fields: Any) -> list[Task]:
        request = NewTask(**{"task_type": "noop", **fields})
        return await submit_tasks(self.context, [request] * count)

    async def place(self) -> int:
        """Rounds of the scheduler until nothing more is placed."""
        if await self.store.leader() is None:
            await self.leads()
        placed = 0
        while number := await self.schedule.run_once(self.now):
            placed += number
        return placed

    async def pull(self, node: Registered, **fields: Any) -> PullAnswer:
        message = PullMessage(**{"session": node.session, "wait": 0.0, **fields})
        return await pull(self.context, node.node_id, message)

    async def report(
        self, node: Registered, *assignments: Assignment, outcome: Any = "completed", **fields: Any
    ) -> tuple[bool, ...]:
        result = TaskResult(
            success=outcome == "completed", error=None if outcome == "completed" else "broken"
        )
        reports = tuple(
            ExecutionReport(
                execution_id=each.execution.id,
                fence=each.execution.fence,
                outcome=outcome,
                **{"result": result, **fields},
            )
            for each in assignments
        )
        answer = await report(
            self.context, node.node_id, ReportMessage(session=node.session, reports=reports)
        )
        return answer.taken

    async def task(self, task_id: str) -> Task:
        return (await self.store.tasks_by_id([task_id]))[0]

    async def node(self, node_id: str) -> Node:
        node = await self.store.node(node_id)
        assert node is not None
        return node

    async def executions(self, task_id: str) -> list[Execution]:
        return await self.store.task_executions(task_id)

    async def told(self, *types: EventType) -> list[Event]:
        return await self.store.events(EventQuery(types=types))

    async def make_crawl(self, crawl_id: str, *paths: str, **fields: Any) -> None:
        """A crawl with one link for each path, none of them fetched."""
        await self.crawl_store.create_crawl(Crawl(crawl_id, b"{}", self.now, **fields))
        await self.crawl_store.add([seed(f"https://a.example/{path}", crawl_id) for path in paths])

    async def crawl_all(self, crawl_id: str, record: bytes = b'{"title":"A page"}') -> None:
        """Fetch everything that the crawl has."""
        while True:
            grant = await self.crawl_store.lease(lease_request(crawl_id, node_id="a/1"))
            if not grant.batches:
                return
            for batch in grant.batches:
                settlement = all_fetched(batch)
                outcomes = [type(each)(**{**_fields(each), "record": record}) for each in settlement.outcomes]
                await self.crawl_store.settle([type(settlement)(settlement.fence, outcomes)])


def _fields(struct: Any) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}
