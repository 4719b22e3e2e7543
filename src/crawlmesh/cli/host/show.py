"""`crawlmesh host show`: one host."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.host.host_fields import print_host


@click.command()
@click.argument("host")
@json_option()
@connection_options()
def show(host: str, as_json: bool, **connection: Any) -> None:
    """Show a host over all crawls: its limits, how it is asked, and what waits for it."""
    print_host(with_client(connection, lambda client: client.hosts.get(host)), as_json=as_json)
