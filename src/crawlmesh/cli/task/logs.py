"""`crawlmesh task logs`: what the nodes said while they worked."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import in_utc, print_json_line

if TYPE_CHECKING:
    from crawlmesh.client import Client


@click.command()
@click.argument("task_id")
@click.option("--follow", "-f", is_flag=True, help="Go on with the lines to come until the task has ended.")
@click.option("--execution", "execution_id", metavar="ID", help="Only lines of this go.")
@json_option()
@connection_options()
def logs(task_id: str, follow: bool, execution_id: str | None, as_json: bool, **connection: Any) -> None:
    """Print the log of a task; with --json one object on each line."""

    async def run(client: "Client") -> None:
        async for line in client.tasks.logs(task_id, execution_id=execution_id, follow=follow):
            if as_json:
                print_json_line(line)
            else:
                click.echo(f"{in_utc(line.at)} {line.level} [{line.node_id}] {line.message}")

    with_client(connection, run)
