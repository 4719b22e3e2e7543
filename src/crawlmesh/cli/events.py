"""`crawlmesh events`: what happens in a cluster."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.printing import in_utc, print_json_line
from crawlmesh.model.event import EventType

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Event


@click.command()
@click.option(
    "--type",
    "types",
    type=click.Choice([kind.value for kind in EventType]),
    multiple=True,
    help="Only events of this type. Repeatable.",
)
@click.option("--task", "task_id", metavar="ID", help="Only events of this task.")
@click.option("--node", "node_id", metavar="ID", help="Only events of this node.")
@click.option(
    "--after", type=click.IntRange(0), metavar="ID", help="Begin after this event; 0: the first kept."
)
@click.option(
    "--follow/--no-follow",
    default=True,
    help="Go on with what happens, or end after what is stored; then from the first kept.  [default: follow]",
)
@click.option("--count", type=click.IntRange(1), metavar="N", help="End after so many events.")
@json_option()
@connection_options()
def events(as_json: bool, count: int | None, after: int | None, follow: bool, **options: Any) -> None:
    """Print what happens until Ctrl-C; with --json one object on each line."""
    conditions = {name: options[name] for name in ("types", "task_id", "node_id")}

    async def run(client: "Client") -> None:
        left = count
        async for event in client.events(after=after, follow=follow, **conditions):
            if as_json:
                print_json_line(event)
            else:
                click.echo(_line(event))
            left = None if left is None else left - 1
            if left == 0:
                return

    with_client(options, run)


def _line(event: "Event") -> str:
    about = " ".join(text for text in (event.task_id, event.node_id) if text)
    return f"{event.id} {in_utc(event.at)} {event.type} {about}".rstrip()
