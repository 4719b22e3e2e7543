"""`crawlmesh task failures`: the dead links of a crawl."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json_line

if TYPE_CHECKING:
    from crawlmesh.client import Client


@click.command()
@click.argument("task_id")
@click.option("--reason", help="Only those that died for this reason, such as http_500.")
@json_option()
@connection_options()
def failures(task_id: str, reason: str | None, as_json: bool, **connection: Any) -> None:
    """List the URLs of a crawl that were given up, with the reason of each."""

    async def run(client: "Client") -> None:
        async for failure in client.tasks.failures(task_id, reason):
            if as_json:
                print_json_line(failure)
            else:
                click.echo(f"{failure.reason}\t{failure.url}")

    with_client(connection, run)
