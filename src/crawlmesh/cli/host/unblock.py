"""`crawlmesh host unblock`: let a host be asked again."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json


@click.command()
@click.argument("host")
@json_option()
@connection_options()
def unblock(host: str, as_json: bool, **connection: Any) -> None:
    """Let a blocked host be asked again; its other limits stay."""
    changed = with_client(connection, lambda client: client.hosts.unblock(host))
    if as_json:
        print_json(changed)
    else:
        click.echo(f"{changed.host} is not blocked.")
