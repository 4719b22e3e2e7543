"""`crawlmesh host list`: which hosts there are."""

from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import connection_options, json_option, with_client
from crawlmesh.cli.host.host_fields import in_seconds, limits_in_words
from crawlmesh.cli.printing import print_json_line, print_table

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.hosts import Host


@click.command("list")
@click.option("--search", metavar="TEXT", help="Only hosts with this in their name.")
@click.option("--limited", is_flag=True, help="Only hosts that users limited or blocked.")
@json_option()
@connection_options()
def list_hosts(search: str | None, limited: bool, as_json: bool, **connection: Any) -> None:
    """List the hosts of all crawls by name; with --json one object on each line."""

    async def run(client: "Client") -> "list[Host]":
        found = client.hosts.list(search=search, page_size=1000)
        return [host async for host in found if not limited or limits_in_words(host.limits)]

    hosts = with_client(connection, run)
    if as_json:
        for host in hosts:
            print_json_line(host)
        return
    print_table(
        ("host", "limits", "delay", "slots", "rests for", "waiting", "done", "dead", "mean time"),
        [_row(host) for host in hosts],
        "There are no such hosts.",
        leave_out=("mean time", "rests for", "dead", "done"),
    )


def _row(host: "Host") -> tuple[object, ...]:
    return (
        host.host,
        limits_in_words(host.limits),
        in_seconds(host.delay),
        f"{host.running} of {host.slots}",
        in_seconds(round(host.ready_in, 1)),
        host.queued,
        host.done,
        host.dead,
        f"{host.mean_elapsed:.3f} s" if host.mean_elapsed else "",
    )
