"""`crawlmesh task retry`: take ended tasks again."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option
from crawlmesh.cli.task.steering import steer


@click.command()
@click.argument("task_ids", nargs=-1, required=True, metavar="TASK_ID...")
@click.option("--failed-urls", is_flag=True, help="Take only the dead links of a crawl again.")
@json_option()
@connection_options()
def retry(task_ids: tuple[str, ...], failed_urls: bool, as_json: bool, **connection: Any) -> int:
    """Take tasks again that have ended."""
    return steer(
        connection,
        task_ids,
        lambda client: client.tasks.retry_failed if failed_urls else client.tasks.retry,
        as_json=as_json,
    )
