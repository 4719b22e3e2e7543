"""`crawlmesh node resume`: let a node take work again."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json


@click.command()
@click.argument("node_id")
@json_option()
@connection_options()
def resume(node_id: str, as_json: bool, **connection: Any) -> None:
    """Let a node take work again."""
    node = with_client(connection, lambda client: client.nodes.resume(node_id))
    if as_json:
        print_json(node)
    else:
        click.echo(f"{node.id} is {node.status}.")
