"""`crawlmesh task show`: one task, its goes, and why it stands where it does."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_fields, print_json, print_table
from crawlmesh.cli.words import filter_in_words

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Execution, Explanation, Task
    from crawlmesh.model.crawl import FilterStatus


@click.command()
@click.argument("task_id")
@json_option()
@connection_options()
def show(task_id: str, as_json: bool, **connection: Any) -> None:
    """Show a task, the goes at it, and why it waits or where it was placed."""

    async def run(client: "Client") -> "tuple[Task, list[Execution], Explanation, FilterStatus | None]":
        task = await client.tasks.get(task_id)
        executions = list(await client.tasks.executions(task_id))
        filter_status = await _filter_of(client, task)
        return task, executions, await client.tasks.explain(task_id), filter_status

    task, executions, explanation, filter_status = with_client(connection, run)
    if as_json:
        print_json(
            {
                "task": task,
                "executions": executions,
                "explanation": explanation,
                "filter": filter_status,
            }
        )
        return
    print_fields({**_fields(task), "Filter": filter_in_words(filter_status) if filter_status else None})
    for sentence in explanation.sentences:
        click.echo(sentence)
    if executions:
        click.echo()
        _print_executions(executions)


async def _filter_of(client: "Client", task: "Task") -> "FilterStatus | None":
    if task.task_type != "web_crawl":
        return None
    return (await client.tasks.progress(task.id)).filter


def _fields(task: "Task") -> dict[str, Any]:
    result = task.result
    return {
        "Task": task.id,
        "Status": task.status,
        "Reason": task.reason,
        "Type": task.task_type,
        "Subject": task.subject,
        "Parameters": {name: value for name, value in task.parameters.items() if name != "url"},
        "Project": task.project_id,
        "Workflow": task.workflow_id,
        "Priority": task.priority,
        "Needs": {**task.min_resources, **task.capabilities},
        "Strategy": task.schedule_strategy,
        "Region": task.target_region,
        "Node": task.assigned_node,
        "Created": task.created_at,
        "Started": task.started_at,
        "Ended": task.completed_at,
        "Retries": f"{task.retry_count} of {task.max_retries}",
        "Error": result.error if result else None,
        "Metrics": result.metrics if result else None,
    }


def _print_executions(executions: "list[Execution]") -> None:
    print_table(
        ("execution", "node", "status", "ended by", "started", "ended", "chosen"),
        [
            (each.id, each.node_id, each.status, each.ended_by, each.start_time, each.end_time, each.choice)
            for each in executions
        ],
        "Nobody has worked on it yet.",
        leave_out=("started", "ended", "chosen"),
    )
