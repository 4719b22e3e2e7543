"""`crawlmesh cluster remove`: forget a cluster."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, with_client


@click.command()
@click.argument("cluster_id")
@connection_options()
def remove(cluster_id: str, **connection: Any) -> None:
    """Forget a cluster that has no nodes."""
    with_client(connection, lambda client: client.clusters.remove(cluster_id))
    click.echo(f"{cluster_id} is removed.")
