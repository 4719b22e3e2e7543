"""Executions: finding them. `changing_tasks` writes them, together with their tasks."""

from collections.abc import Sequence

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.tables import EXECUTIONS, TASKS
from crawlmesh.model.execution import Assignment, EndedBy, Execution, RunningExecution

_WITH_TASKS = f"""
SELECT {EXECUTIONS.prefixed("execution")}, {TASKS.prefixed("task")}
FROM crawler_task_executions AS execution JOIN crawler_tasks AS task ON task.id = execution.task_id
"""  # noqa: S608
_BY_ID = f"{_WITH_TASKS} WHERE execution.id = ANY($1)"
_OF_NODE = (
    f"{_WITH_TASKS} WHERE execution.node_id = $1 AND execution.status = 'running' ORDER BY execution.id"
)
_OF_NODE_IN_SHORT = (
    "SELECT id, stop FROM crawler_task_executions WHERE node_id = $1 AND status = 'running' ORDER BY id"
)
_OVERDUE = f"""
{_WITH_TASKS}
WHERE execution.status = 'running' AND execution.deadline <= $1
ORDER BY execution.deadline, execution.id LIMIT $2
"""

_SELECT = f"SELECT {EXECUTIONS.names} FROM crawler_task_executions"  # noqa: S608
_OF_TASK = f"{_SELECT} WHERE task_id = $1 ORDER BY id"
_RUNNING = f"{_SELECT} WHERE task_id = ANY($1) AND status = 'running' ORDER BY id"
_NEWEST_OF_NODE = f"{_SELECT} WHERE node_id = $1 ORDER BY id DESC LIMIT $2"
_OLDER_OF_NODE = f"{_SELECT} WHERE node_id = $1 AND id < $3 ORDER BY id DESC LIMIT $2"
_LOADS = "SELECT node_id, running FROM node_loads WHERE running > 0"


class Executions(Part):
    """The part of the store that finds executions."""

    async def assignments(self, ids: Sequence[str]) -> list[Assignment]:
        """Executions by id, each with its task, in no order; unknown ids are left out."""
        return await self._assignments(_BY_ID, list(set(ids)))

    async def node_assignments(self, node_id: str) -> list[Assignment]:
        """The running executions of a node, oldest first."""
        return await self._assignments(_OF_NODE, node_id)

    async def node_executions(self, node_id: str) -> list[RunningExecution]:
        """The running executions of a node in short, oldest first."""
        rows = await self._fetch(_OF_NODE_IN_SHORT, node_id)
        return [RunningExecution(row[0], None if row[1] is None else EndedBy(row[1])) for row in rows]

    async def overdue_executions(self, now: float, limit: int) -> list[Assignment]:
        """Running executions whose `deadline` has passed, longest overdue first."""
        return await self._assignments(_OVERDUE, now, limit)

    async def task_executions(self, task_id: str) -> list[Execution]:
        """All executions of a task, oldest first."""
        return await self._executions(_OF_TASK, task_id)

    async def running_executions(self, task_ids: Sequence[str]) -> list[Execution]:
        """The running executions of tasks, oldest first."""
        return await self._executions(_RUNNING, list(set(task_ids)))

    async def executions_of_node(self, node_id: str, limit: int, before: str = "") -> list[Execution]:
        """Executions of a node, newest first, from below the id `before` on."""
        if not before:
            return await self._executions(_NEWEST_OF_NODE, node_id, limit)
        return await self._executions(_OLDER_OF_NODE, node_id, limit, before)

    async def node_loads(self) -> dict[str, int]:
        """How many executions run on each node that has any."""
        return {row[0]: row[1] for row in await self._fetch(_LOADS)}

    async def _assignments(self, statement: str, *values: object) -> list[Assignment]:
        return list(map(tables.assignment, await self._fetch(statement, *values)))

    async def _executions(self, statement: str, *values: object) -> list[Execution]:
        return list(map(tables.execution, await self._fetch(statement, *values)))
