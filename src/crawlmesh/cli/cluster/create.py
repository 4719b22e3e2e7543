"""`crawlmesh cluster create`: make a cluster."""

from typing import Any

import click

from crawlmesh.cli.cluster.cluster_fields import print_cluster
from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client


@click.command()
@click.argument("name")
@click.option("--project", "project_id", metavar="ID", help="Project it belongs to.")
@click.option("--description", metavar="TEXT", help="What it is for.")
@json_option()
@connection_options()
def create(
    name: str, project_id: str | None, description: str | None, as_json: bool, **connection: Any
) -> None:
    """Make a cluster. Workers join it with `--cluster ID`."""
    fields = {"project_id": project_id, "description": description}
    given = {key: value for key, value in fields.items() if value is not None}
    print_cluster(
        with_client(connection, lambda client: client.clusters.create(name, **given)), as_json=as_json
    )
