"""`crawlmesh node remove`: forget a node."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, with_client


@click.command()
@click.argument("node_id")
@connection_options()
def remove(node_id: str, **connection: Any) -> None:
    """Forget a node. Its work goes to others; if it still runs, it may register anew."""
    with_client(connection, lambda client: client.nodes.remove(node_id))
    click.echo(f"{node_id} is removed.")
