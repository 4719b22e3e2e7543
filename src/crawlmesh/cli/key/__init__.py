"""`crawlmesh key`: the keys that open a cluster, one command per file.

Imported by the command line when it is wanted; imports the client.
"""

import click

from crawlmesh.cli.lazy_group import LazyGroup

_HERE = "crawlmesh.cli.key"


@click.group(
    cls=LazyGroup,
    places={
        "list": f"{_HERE}.list_keys:list_keys",
        "create": f"{_HERE}.create:create",
        "remove": f"{_HERE}.remove:remove",
    },
)
def key() -> None:
    """Give others keys to a cluster, and take them away."""
