"""`crawlmesh task list`: which tasks there are."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json_line, print_table
from crawlmesh.model.task import TaskStatus

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Task


@click.command("list")
@click.option(
    "--status",
    "statuses",
    type=click.Choice([status.value for status in TaskStatus]),
    multiple=True,
    help="Only tasks in this status. Repeatable.",
)
@click.option("--type", "task_type", metavar="TYPE", help="Only tasks of this type.")
@click.option("--project", "project_id", metavar="ID", help="Only tasks of this project.")
@click.option("--node", "node_id", metavar="ID", help="Only tasks that this node has or had last.")
@click.option("--category", metavar="TEXT", help="Only tasks of this category.")
@click.option("--search", metavar="TEXT", help="Only tasks with this in their id or their parameters.")
@click.option(
    "--sort",
    type=click.Choice(
        [f"{minus}{name}" for name in ("created_at", "updated_at", "priority") for minus in ("-", "")]
    ),
    default="-created_at",
    show_default=True,
    help="Order; with a minus, the highest first.",
)
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="Tasks at most.")
@json_option()
@connection_options()
def list_tasks(as_json: bool, limit: int, **options: Any) -> None:
    """List tasks, the latest first; with --json one object on each line."""
    names = ("task_type", "project_id", "node_id", "category", "search", "sort")
    conditions = {name: options[name] for name in names} | {"status": options["statuses"]}

    async def run(client: "Client") -> "list[Task]":
        found: list[Task] = []
        async for each in client.tasks.list(page_size=min(limit, 500), **conditions):
            found.append(each)
            if len(found) == limit:
                break
        return found

    tasks = with_client(options, run)
    if as_json:
        for each in tasks:
            print_json_line(each)
        return
    print_table(
        ("id", "status", "type", "priority", "subject", "node", "created"),
        [
            (
                each.id,
                each.status,
                each.task_type,
                each.priority,
                each.subject,
                each.assigned_node,
                each.created_at,
            )
            for each in tasks
        ],
        "There are no such tasks.",
        leave_out=("created", "node", "type", "priority"),
    )
