"""`crawlmesh node show`: one node."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import in_share, print_fields, print_json, print_table

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Execution, Node

_SHOWN_EXECUTIONS = 10


@click.command()
@click.argument("node_id")
@json_option()
@connection_options()
def show(node_id: str, as_json: bool, **connection: Any) -> None:
    """Show a node, its readings, and what it did last."""

    async def run(client: "Client") -> "tuple[Node, list[Execution]]":
        node = await client.nodes.get(node_id)
        return node, list(await client.nodes.executions(node_id, _SHOWN_EXECUTIONS))

    node, executions = with_client(connection, run)
    if as_json:
        print_json({"node": node, "executions": executions})
        return
    print_fields(_fields(node))
    click.echo()
    print_table(
        ("execution", "task", "status", "ended by", "started", "ended"),
        [
            (each.id, each.task_id, each.status, each.ended_by, each.start_time, each.end_time)
            for each in executions
        ],
        "It has not worked on anything yet.",
        leave_out=("started", "ended", "ended by"),
    )


def _fields(node: "Node") -> dict[str, Any]:
    return {
        "Node": node.id,
        "Name": node.name,
        "Status": node.status,
        "Reason": node.reason,
        "Health": node.health.status,
        "Details": node.health.details,
        "Cluster": node.cluster_id,
        "Type": node.node_type,
        "Region": node.region,
        "Address": f"{node.ip_address}:{node.port}" if node.port else node.ip_address,
        "Tasks": f"{node.active_tasks} of {node.slots}",
        "Load": in_share(node.load),
        "Readings": node.usage,
        "Resources": node.resources,
        "Capabilities": node.capabilities,
        "Task types": ", ".join(node.task_types),
        "Weight": node.weight,
        "Last heartbeat": node.last_heartbeat,
        "Registered": node.created_at,
    }
