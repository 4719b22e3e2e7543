"""`crawlmesh node`: the nodes of a cluster, one command per file.

Imported by the command line when it is wanted; imports the client.
"""

import click

from crawlmesh.cli.lazy_group import LazyGroup

_HERE = "crawlmesh.cli.node"


@click.group(
    cls=LazyGroup,
    places={
        "list": f"{_HERE}.list_nodes:list_nodes",
        "show": f"{_HERE}.show:show",
        "drain": f"{_HERE}.drain:drain",
        "maintenance": f"{_HERE}.maintenance:maintenance",
        "resume": f"{_HERE}.resume:resume",
        "remove": f"{_HERE}.remove:remove",
    },
)
def node() -> None:
    """Look at the nodes of a cluster, and take them out of service."""
