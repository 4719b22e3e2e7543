"""`crawlmesh cluster list`: which clusters there are."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json_line, print_table


@click.command("list")
@json_option()
@connection_options()
def list_clusters(as_json: bool, **connection: Any) -> None:
    """List clusters; with --json one object on each line."""
    clusters = with_client(connection, lambda client: client.clusters.list())
    if as_json:
        for cluster in clusters:
            print_json_line(cluster)
        return
    print_table(
        ("id", "name", "project", "status", "nodes", "online", "description"),
        [
            (each.id, each.name, each.project_id, each.status, each.nodes, each.online, each.description)
            for each in clusters
        ],
        "There are no clusters.",
        leave_out=("description", "project"),
    )
