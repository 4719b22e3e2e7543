"""`crawlmesh host`: the web servers that a cluster asks, one command per file.

Imported by the command line when it is wanted; imports the client.
"""

import click

from crawlmesh.cli.lazy_group import LazyGroup

_HERE = "crawlmesh.cli.host"


@click.group(
    cls=LazyGroup,
    places={
        "list": f"{_HERE}.list_hosts:list_hosts",
        "show": f"{_HERE}.show:show",
        "limit": f"{_HERE}.limit:limit",
        "block": f"{_HERE}.block:block",
        "unblock": f"{_HERE}.unblock:unblock",
    },
)
def host() -> None:
    """Look at the hosts that a cluster asks, slow them down, and block them."""
