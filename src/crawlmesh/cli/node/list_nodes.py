"""`crawlmesh node list`: which nodes there are."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import in_share, print_json_line, print_table
from crawlmesh.model.node import HealthStatus, NodeStatus

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Node


@click.command("list")
@click.option(
    "--status",
    "statuses",
    type=click.Choice([status.value for status in NodeStatus]),
    multiple=True,
    help="Only nodes in this status. Repeatable.",
)
@click.option(
    "--health",
    type=click.Choice([status.value for status in HealthStatus]),
    multiple=True,
    help="Only nodes whose health is this. Repeatable.",
)
@click.option("--cluster", "cluster_id", metavar="ID", help="Only nodes of this cluster.")
@click.option("--region", metavar="TEXT", help="Only nodes of this region.")
@click.option("--search", metavar="TEXT", help="Only nodes with this in their id or name.")
@json_option()
@connection_options()
def list_nodes(as_json: bool, **options: Any) -> None:
    """List nodes; with --json one object on each line."""
    conditions = {name: options[name] for name in ("health", "cluster_id", "region", "search")}

    async def run(client: "Client") -> "list[Node]":
        return [node async for node in client.nodes.list(status=options["statuses"], **conditions)]

    nodes = with_client(options, run)
    if as_json:
        for node in nodes:
            print_json_line(node)
        return
    print_table(
        ("id", "name", "status", "health", "tasks", "load", "cpu", "memory", "region", "last heartbeat"),
        [_row(node) for node in nodes],
        "There are no such nodes.",
        leave_out=("last heartbeat", "region", "memory", "cpu"),
    )


def _row(node: "Node") -> tuple[object, ...]:
    return (
        node.id,
        node.name,
        node.status,
        node.health.status,
        f"{node.active_tasks} of {node.slots}",
        in_share(node.load),
        in_share(node.usage["cpu_usage"]) if "cpu_usage" in node.usage else "",
        in_share(node.usage["memory_usage"]) if "memory_usage" in node.usage else "",
        node.region,
        node.last_heartbeat,
    )
