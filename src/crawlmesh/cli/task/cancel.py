"""`crawlmesh task cancel`: end tasks for good."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option
from crawlmesh.cli.task.steering import steer


@click.command()
@click.argument("task_ids", nargs=-1, required=True, metavar="TASK_ID...")
@json_option()
@connection_options()
def cancel(task_ids: tuple[str, ...], as_json: bool, **connection: Any) -> int:
    """End tasks for good. What was crawled until then is kept."""
    return steer(connection, task_ids, lambda client: client.tasks.cancel, as_json=as_json)
