"""`crawlmesh host block`: keep all nodes from a host."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json


@click.command()
@click.argument("host")
@json_option()
@connection_options()
def block(host: str, as_json: bool, **connection: Any) -> None:
    """Let nothing more be asked of a host. Its links wait; what nodes have leased is finished."""
    changed = with_client(connection, lambda client: client.hosts.block(host))
    if as_json:
        print_json(changed)
    else:
        click.echo(f"{changed.host} is blocked; its links wait.")
