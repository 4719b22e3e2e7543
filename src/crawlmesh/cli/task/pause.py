"""`crawlmesh task pause`: stop tasks for a while."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option
from crawlmesh.cli.task.steering import steer


@click.command()
@click.argument("task_ids", nargs=-1, required=True, metavar="TASK_ID...")
@json_option()
@connection_options()
def pause(task_ids: tuple[str, ...], as_json: bool, **connection: Any) -> int:
    """Stop tasks so that they can go on where they were."""
    return steer(connection, task_ids, lambda client: client.tasks.pause, as_json=as_json)
