"""Pages of tasks and of nodes."""

from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.control.rows import NODE_OBJECT, TASK_OBJECT
from crawlmesh.adapters.sqlite.control.statements import listed
from crawlmesh.model.node import Node
from crawlmesh.model.query import NodePage, NodeQuery, TaskPage, TaskQuery
from crawlmesh.model.task import Task
from crawlmesh.protocol.cursors import task_cursor, task_position

_TASK_CONDITIONS = {
    "project_id": "project_id = :project_id",
    "workflow_id": "workflow_id = :workflow_id",
    "task_type": "task_type = :task_type",
    "node_id": "assigned_node = :node_id",
    "category": "EXISTS (SELECT 1 FROM json_each(categories) WHERE value = :category)",
    "priority": "priority = :priority",
    "created_after": "created_at >= :created_after",
    "created_before": "created_at < :created_before",
    "search": "(instr(lower(id), lower(:search)) OR instr(lower(parameters), lower(:search)))",
}

_NODE_CONDITIONS = {
    "cluster_id": "cluster_id = :cluster_id",
    "node_type": "node_type = :node_type",
    "region": "region = :region",
    "search": "(instr(lower(id), lower(:search)) OR instr(lower(name), lower(:search)))",
    "cursor": "id > :cursor",
}


def tasks_statement(query: TaskQuery) -> tuple[str, dict[str, Any]]:
    """The statement for a page of tasks, and its parameters. Raises InvalidError for a wrong cursor."""
    conditions, parameters = _conditions(query, _TASK_CONDITIONS)
    field = query.order.removeprefix("-")
    descending = query.order.startswith("-")
    if query.cursor is not None:
        value, task_id = task_position(query.cursor, query.order)
        conditions.append(f"({field}, id) {'<' if descending else '>'} (:value, :id)")
        parameters |= {"value": value, "id": task_id}
    parameters["limit"] = query.limit + 1
    direction = "DESC" if descending else "ASC"
    order = f"ORDER BY {field} {direction}, id {direction} LIMIT :limit"
    if not query.statuses:
        return listed(TASK_OBJECT, f"FROM crawler_tasks {_where(conditions)} {order}"), parameters
    parameters |= {f"status{number}": status.value for number, status in enumerate(query.statuses)}
    return listed(TASK_OBJECT, _of_statuses(len(query.statuses), field, conditions, order)), parameters


def task_page(tasks: list[Task], query: TaskQuery) -> TaskPage:
    """The page, where one task more than it holds was asked for."""
    if len(tasks) <= query.limit:
        return TaskPage(tuple(tasks))
    del tasks[query.limit :]
    value = getattr(tasks[-1], query.order.removeprefix("-"))
    return TaskPage(tuple(tasks), task_cursor(query.order, value, tasks[-1].id))


def nodes_statement(query: NodeQuery) -> tuple[str, dict[str, Any]]:
    """The statement for a page of nodes, and its parameters."""
    conditions, parameters = _conditions(query, _NODE_CONDITIONS)
    for column, wanted in (("status", query.statuses), ("health_status", query.health)):
        if wanted:
            conditions.append(f"{column} IN (SELECT value FROM json_each(:{column}))")  # noqa: S608
            parameters[column] = msgspec.json.encode(wanted).decode()
    parameters["limit"] = query.limit + 1
    return listed(
        NODE_OBJECT, f"FROM crawler_nodes {_where(conditions)} ORDER BY id LIMIT :limit"
    ), parameters


def node_page(nodes: list[Node], query: NodeQuery) -> NodePage:
    """The page, where one node more than it holds was asked for."""
    if len(nodes) <= query.limit:
        return NodePage(tuple(nodes))
    del nodes[query.limit :]
    return NodePage(tuple(nodes), nodes[-1].id)


def _conditions(query: TaskQuery | NodeQuery, known: dict[str, str]) -> tuple[list[str], dict[str, Any]]:
    given = {name: getattr(query, name) for name in known}
    parameters = {name: value for name, value in given.items() if value is not None}
    return [known[name] for name in parameters], parameters


def _where(conditions: list[str]) -> str:
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


def _of_statuses(number: int, field: str, conditions: list[str], order: str) -> str:
    """Each status is looked up by itself, in order, so that a page costs the same however many there are."""
    parts = [
        f"SELECT * FROM (SELECT id, {field} FROM crawler_tasks"  # noqa: S608
        f" {_where([f'status = :status{index}', *conditions])} {order})"
        for index in range(number)
    ]
    return (
        f"FROM (SELECT id AS found FROM ({' UNION '.join(parts)}) {order})"  # noqa: S608
        f" CROSS JOIN crawler_tasks ON id = found {order}"
    )
