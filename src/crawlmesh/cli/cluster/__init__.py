"""`crawlmesh cluster`: the clusters that nodes belong to, one command per file.

Imported by the command line when it is wanted; imports the client.
"""

import click

from crawlmesh.cli.lazy_group import LazyGroup

_HERE = "crawlmesh.cli.cluster"


@click.group(
    cls=LazyGroup,
    places={
        "list": f"{_HERE}.list_clusters:list_clusters",
        "show": f"{_HERE}.show:show",
        "create": f"{_HERE}.create:create",
        "update": f"{_HERE}.update:update",
        "remove": f"{_HERE}.remove:remove",
    },
)
def cluster() -> None:
    """Group nodes into clusters."""
