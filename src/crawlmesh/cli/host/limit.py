"""`crawlmesh host limit`: slow a host down, or let more requests at it."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.host.host_fields import print_host
from crawlmesh.errors import NotFoundError, UsageError

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.hosts import Host


@click.command()
@click.argument("host")
@click.option(
    "--delay", type=click.FloatRange(0, 86_400), metavar="SECONDS", help="Between two requests at least."
)
@click.option("--slots", type=click.IntRange(1, 10_000), metavar="NUMBER", help="Requests at once at most.")
@click.option("--clear", is_flag=True, help="Take all limits away, a block too, before others are laid down.")
@json_option()
@connection_options()
def limit(
    host: str, delay: float | None, slots: int | None, clear: bool, as_json: bool, **connection: Any
) -> None:
    """Limit how a host is asked, over all crawls and nodes. What is not given stays as it was."""
    if delay is None and slots is None and not clear:
        raise UsageError("Nothing shall change: give --delay, --slots or --clear.")

    async def run(client: "Client") -> "Host":
        kept: dict[str, Any] = {} if clear else await _limits_of(client, host)
        given = {name: value for name, value in (("delay", delay), ("slots", slots)) if value is not None}
        return await client.hosts.limit(host, **{**kept, **given})

    print_host(with_client(connection, run), as_json=as_json)


async def _limits_of(client: "Client", host: str) -> dict[str, Any]:
    try:
        limits = (await client.hosts.get(host)).limits
    except NotFoundError:
        return {}  # it was not met yet
    return {"delay": limits.delay, "slots": limits.slots, "blocked": limits.blocked}
