"""`crawlmesh node drain`: take a node out of service gently."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json


@click.command()
@click.argument("node_id")
@json_option()
@connection_options()
def drain(node_id: str, as_json: bool, **connection: Any) -> None:
    """Let a node finish what runs, give it nothing new, then let it leave."""
    node = with_client(connection, lambda client: client.nodes.drain(node_id))
    if as_json:
        print_json(node)
    else:
        click.echo(f"{node.id} is {node.status}.")
