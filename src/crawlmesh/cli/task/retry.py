"""`crawlmesh task retry`: take ended tasks again."""

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
@click.argument("task_ids", nargs=-1, required=True, metavar="TASK_ID...")
@click.option("--failed-urls", is_flag=True, help="Take only the dead links of a crawl again.")
@click.option("--reason", help="Take only those again that died for this reason, such as http_500.")
@click.option(
    "--failed-url", "urls", multiple=True, metavar="URL", help="Take only this dead link again. Repeatable."
)
@json_option()
@connection_options()
def retry(
    task_ids: tuple[str, ...],
    failed_urls: bool,
    reason: str | None,
    urls: tuple[str, ...],
    as_json: bool,
    **connection: Any,
) -> int:
    """Take tasks again that have ended."""

    def choose(client: "Client") -> "Callable[[str], Awaitable[Task]]":
        if failed_urls or reason is not None or urls:
            return partial(client.tasks.retry_failed, reason=reason, urls=urls or None)
        return client.tasks.retry

    return steer(connection, task_ids, choose, as_json=as_json)
