"""`crawlmesh node maintenance`: give a node a rest."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json


@click.command()
@click.argument("node_id")
@json_option()
@connection_options()
def maintenance(node_id: str, as_json: bool, **connection: Any) -> None:
    """Give a node nothing new until it is resumed."""
    node = with_client(connection, lambda client: client.nodes.maintenance(node_id))
    if as_json:
        print_json(node)
    else:
        click.echo(f"{node.id} is {node.status}.")
