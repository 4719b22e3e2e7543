"""An agent with a master in the same process."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from crawlmesh.model.execution import Assignment, Execution
from crawlmesh.model.task import Task, TaskResult
from crawlmesh.ports.task_channel import TaskChannel
from crawlmesh.worker.agent import Agent, AgentOptions
from crawlmesh.worker.crawl_engines import CrawlEngines
from crawlmesh.worker.execution_context import ExecutionContext
from crawlmesh.worker.executors import Executor, NoOperation
from crawlmesh.worker.readings import Readings
from tests.unit.control.kit import ControlKit
from tests.unit.worker.control_master import ControlMaster


class Patient:
    """Waits until it is told to stop, or to go on."""

    task_type = "patient"

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.contexts: list[ExecutionContext] = []

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        self.contexts.append(context)
        context.log("INFO", "begun")
        self.begun.set()
        waits = [asyncio.ensure_future(event.wait()) for event in (context.stop, self.go_on)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        return TaskResult(success=True, data={"stopped": context.stop.is_set()})


class AgentKit:
    """One master, one node."""

    def __init__(
        self,
        folder: Path,
        *executors: Executor,
        engines: CrawlEngines | None = None,
        kit: ControlKit | None = None,
        channel: TaskChannel | None = None,
    ) -> None:
        self.kit = kit or ControlKit(heartbeat_interval=1000.0)
        self.channel = channel
        self.master = ControlMaster(self.kit)
        self.folder = folder
        self.executors: Iterable[Executor] = (NoOperation(), *executors)
        self.engines = engines

    def agent(self, **options: Any) -> Agent:
        fields = {
            "name": "worker",
            "slots": 4,
            "stop_patience": 0.5,
            "drain_timeout": 0.0,
            "drain_patience": 5.0,
            **options,
        }
        return Agent(
            AgentOptions(**fields),
            self.master,
            {executor.task_type: executor for executor in self.executors},
            self.engines,
            Readings(self.kit.clock),
            self.kit.clock,
            self.folder,
            self.channel,
        )

    @asynccontextmanager
    async def running(self, **options: Any) -> AsyncIterator[Agent]:
        """An agent that has registered; told to stop at the end."""
        agent = self.agent(**options)
        run = asyncio.ensure_future(agent.run())
        try:
            await asyncio.wait(
                [run, asyncio.ensure_future(agent.registered.wait())], return_when=asyncio.FIRST_COMPLETED
            )
            yield agent
        finally:
            agent.stop()
            await run

    async def submit(self, count: int = 1, **fields: Any) -> list[Task]:
        tasks = await self.kit.submit(count, **fields)
        await self.kit.place()
        return tasks

    async def until(self, task_id: str, condition: Callable[[Task], bool]) -> Task:
        """The task, once it is as wanted; scheduling goes on meanwhile."""
        topic = "events"
        while True:
            seen = self.kit.store.mark(topic)
            self.kit.clock.advance(1.0)  # the fleet is looked at once a second
            await self.kit.place()
            task = await self.kit.task(task_id)
            if condition(task):
                return task
            await self.kit.store.wait(topic, seen, 0.2)

    async def executions(self, task_id: str) -> list[Execution]:
        return await self.kit.store.task_executions(task_id)
