"""A cluster for people."""

from typing import TYPE_CHECKING

from crawlmesh.cli.printing import print_fields, print_json

if TYPE_CHECKING:
    from crawlmesh.client.answers import Cluster


def print_cluster(cluster: "Cluster", *, as_json: bool) -> None:
    """Print one cluster."""
    if as_json:
        print_json(cluster)
        return
    print_fields(
        {
            "Cluster": cluster.id,
            "Name": cluster.name,
            "Project": cluster.project_id,
            "Status": cluster.status,
            "Nodes": f"{cluster.nodes}, {cluster.online} of them online",
            "Description": cluster.description,
            "Configuration": cluster.configuration,
            "Created": cluster.created_at,
        }
    )
