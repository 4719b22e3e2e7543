"""`crawlmesh task priority`: put a task forward or back."""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option
from crawlmesh.cli.task.steering import steer

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from crawlmesh.client import Client
    from crawlmesh.client.answers import Task


@click.command()
@click.argument("task_id")
@click.argument("priority", type=click.IntRange(1, 10), metavar="PRIORITY")
@json_option()
@connection_options()
def priority(task_id: str, priority: int, as_json: bool, **connection: Any) -> int:
    """Give a task another PRIORITY, from 1 to 10; tasks of priority 10 are done first."""

    def choose(client: "Client") -> "Callable[[str], Awaitable[Task]]":
        return partial(client.tasks.reprioritize, priority=priority)

    return steer(
        connection,
        [task_id],
        choose,
        as_json=as_json,
        sentence=lambda task: f"{task.id} has the priority {task.priority} and is {task.status}.",
    )
