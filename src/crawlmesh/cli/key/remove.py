"""`crawlmesh key remove`: let a key open nothing any more."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, with_client


@click.command()
@click.argument("key_id")
@connection_options()
def remove(key_id: str, **connection: Any) -> None:
    """Let a key open nothing any more."""
    with_client(connection, lambda client: client.keys.remove(key_id))
    click.echo(f"{key_id} is removed.")
