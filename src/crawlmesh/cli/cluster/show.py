"""`crawlmesh cluster show`: one cluster."""

from typing import Any

import click

from crawlmesh.cli.cluster.cluster_fields import print_cluster
from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client


@click.command()
@click.argument("cluster_id")
@json_option()
@connection_options()
def show(cluster_id: str, as_json: bool, **connection: Any) -> None:
    """Show a cluster."""
    print_cluster(with_client(connection, lambda client: client.clusters.get(cluster_id)), as_json=as_json)
