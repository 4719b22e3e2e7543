"""Changing the course of tasks, one after the other."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import with_client
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.printing import print_json_line
from crawlmesh.errors import RequestError

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Task

    Choose = Callable[[Client], Callable[[str], Awaitable[Task]]]


def _status_of(task: "Task") -> str:
    return f"{task.id} is {task.status}."


def steer(
    connection: dict[str, Any],
    task_ids: Sequence[str],
    choose: "Choose",
    *,
    as_json: bool,
    sentence: "Callable[[Task], str]" = _status_of,
) -> int:
    """Do the same with each task; one that cannot be does not hold up the others."""

    async def run(client: "Client") -> int:
        code = ExitCode.DONE
        for task_id in task_ids:
            try:
                task = await choose(client)(task_id)
            except RequestError as error:
                click.echo(f"crawlmesh: {error}", err=True)
                code = ExitCode.FAILED
                continue
            if as_json:
                print_json_line(task)
            else:
                click.echo(sentence(task))
        return code

    return with_client(connection, run)
