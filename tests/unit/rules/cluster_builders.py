"""Short ways to make tasks, executions and nodes for tests of the rules."""

from typing import Any

from msgspec.structs import replace

from crawlmesh.model.execution import Execution
from crawlmesh.model.node import Node
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.protocol.node_messages import ExecutionReport

OPEN = {TaskStatus.PENDING, TaskStatus.ASSIGNED, TaskStatus.PROCESSING}


def task(**fields: Any) -> Task:
    made = Task(id="task-1", task_type="web_crawl", parameters={"url": "https://a.example/"})
    return replace(made, **fields)


def pending(max_nodes: int = 1, **fields: Any) -> Task:
    return task(max_nodes=max_nodes, open_places=max_nodes, **fields)


def execution(name: str = "e1", node_id: str = "node-1", **fields: Any) -> Execution:
    return replace(Execution(id=name, task_id="task-1", node_id=node_id, fence=1, start_time=10.0), **fields)


def report(outcome: Any, **fields: Any) -> ExecutionReport:
    return replace(ExecutionReport(execution_id="e1", fence=1, outcome=outcome), **fields)


def node(name: str = "node-1", **fields: Any) -> Node:
    return replace(
        Node(id=name, identity=name, name=name, slots=4, resources={"cpu": 8.0, "memory_mb": 16384.0}),
        **fields,
    )
