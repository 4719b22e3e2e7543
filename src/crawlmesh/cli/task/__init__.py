"""`crawlmesh task`: the tasks of a cluster, one command per file.

Imported by the command line when it is wanted; imports the client.
"""

import click

from crawlmesh.cli.lazy_group import LazyGroup

_HERE = "crawlmesh.cli.task"


@click.group(
    cls=LazyGroup,
    places={
        "submit": f"{_HERE}.submit:submit",
        "list": f"{_HERE}.list_tasks:list_tasks",
        "show": f"{_HERE}.show:show",
        "watch": f"{_HERE}.watch:watch",
        "cancel": f"{_HERE}.cancel:cancel",
        "pause": f"{_HERE}.pause:pause",
        "resume": f"{_HERE}.resume:resume",
        "retry": f"{_HERE}.retry:retry",
        "failures": f"{_HERE}.failures:failures",
        "priority": f"{_HERE}.priority:priority",
        "why": f"{_HERE}.why:why",
        "results": f"{_HERE}.results:results",
        "logs": f"{_HERE}.logs:logs",
    },
)
def task() -> None:
    """Submit tasks to a cluster, steer them, and look at them."""
