"""`crawlmesh task watch`: a task while it runs."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json_line
from crawlmesh.cli.task.ending import end_code, print_end
from crawlmesh.cli.task.watching import watch_task

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Task


@click.command()
@click.argument("task_id")
@json_option()
@connection_options()
def watch(task_id: str, as_json: bool, **connection: Any) -> int:
    """Show a task until it has ended: live on a terminal, lines elsewhere.

    With --json it prints an object each second: the task and the progress of its crawl. The exit code is 0
    where the task was completed. Ctrl-C ends the watching, not the task.
    """
    task = with_client(
        connection,
        lambda client: _print_all(client, task_id) if as_json else watch_task(client, task_id),
    )
    if not as_json:
        print_end(task)
    return end_code(task)


async def _print_all(client: "Client", task_id: str) -> "Task":
    async for moment in client.tasks.watch(task_id, interval=1.0):
        print_json_line(moment)
    return moment.task
