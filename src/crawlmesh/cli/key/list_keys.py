"""`crawlmesh key list`: which keys there are."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json_line, print_table


@click.command("list")
@json_option()
@connection_options()
def list_keys(as_json: bool, **connection: Any) -> None:
    """List keys, without their secrets; with --json one object on each line."""
    keys = with_client(connection, lambda client: client.keys.list())
    if as_json:
        for key in keys:
            print_json_line(key)
        return
    print_table(
        ("id", "name", "role", "created", "expires", "last used"),
        [(key.id, key.name, key.role, key.created_at, key.expires_at, key.last_used_at) for key in keys],
        "There are no keys.",
        leave_out=("created", "last used"),
    )
