"""`crawlmesh key create`: make a key."""

from typing import Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import print_json
from crawlmesh.model.access import Role


@click.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice([role.value for role in Role]),
    default=Role.VIEWER.value,
    show_default=True,
    help="admin: everything; operator: submit and steer; viewer: look; node: register workers.",
)
@json_option()
@connection_options()
def create(name: str, role: str, as_json: bool, **connection: Any) -> None:
    """Make a key and print it. It is not told again: the masters keep only its hash."""
    key = with_client(connection, lambda client: client.keys.create(name, role))
    if as_json:
        print_json(key)
    else:
        click.echo(key.key)
