"""`crawlmesh cluster update`: change a cluster."""

from typing import Any

import click

from crawlmesh.cli.cluster.cluster_fields import print_cluster
from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.errors import UsageError
from crawlmesh.model.cluster import ClusterStatus


@click.command()
@click.argument("cluster_id")
@click.option("--name", metavar="TEXT", help="New name.")
@click.option("--description", metavar="TEXT", help="What it is for.")
@click.option(
    "--status",
    type=click.Choice([status.value for status in ClusterStatus]),
    help="Only the nodes of an active cluster get work.",
)
@json_option()
@connection_options()
def update(
    cluster_id: str,
    name: str | None,
    description: str | None,
    status: str | None,
    as_json: bool,
    **connection: Any,
) -> None:
    """Change the name, the description or the status of a cluster."""
    fields = {"name": name, "description": description, "status": status}
    given = {key: value for key, value in fields.items() if value is not None}
    if not given:
        raise UsageError("Nothing shall change: give --name, --description or --status.")
    print_cluster(
        with_client(connection, lambda client: client.clusters.update(cluster_id, **given)), as_json=as_json
    )
