"""`crawlmesh status`: the state of a cluster."""

import asyncio
from typing import TYPE_CHECKING, Any

import click

from crawlmesh.cli.cluster_connection import (
    client_for,
    connection_options,
    connection_settings,
    json_option,
)
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.printing import in_share, print_fields, print_json
from crawlmesh.cli.words import filter_in_words
from crawlmesh.errors import MasterUnreachableError, UsageError
from crawlmesh.settings import Settings

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import BrokerState, Overview, StoreState


@click.command()
@json_option()
@connection_options()
def status(as_json: bool, **connection: Any) -> int:
    """Show how many tasks and nodes there are, and how they are."""
    return show_status(connection_settings(connection), as_json=as_json)


def show_status(settings: Settings, *, as_json: bool) -> int:
    """Print the state of the running master; exit code 1 where none answers."""
    try:
        client = client_for(settings)
    except UsageError as error:
        raise MasterUnreachableError(str(error)) from error
    url, found = asyncio.run(_ask(client))
    if as_json:
        print_json(found)
    else:
        print_fields(_fields(url, found))
    return ExitCode.DONE


async def _ask(client: "Client") -> "tuple[str, Overview]":
    async with client:
        found = await client.overview()
        return client.url, found


def _fields(url: str, found: "Overview") -> dict[str, Any]:
    return {
        "Master": url,
        "Leader": found.leader or "none at the moment",
        "Tasks": _counts(found.tasks, found.tasks_total),
        "Nodes": _counts(found.nodes, found.nodes_total),
        "Health": _counts(found.health, None),
        "Clusters": str(found.clusters),
        "Places": f"{found.running:,} of {found.slots:,} taken",
        "Queues": str(found.queues),
        "Load": "" if found.mean_load is None else in_share(found.mean_load),
        "CPU": "" if found.mean_cpu is None else in_share(found.mean_cpu),
        "Memory": "" if found.mean_memory is None else in_share(found.mean_memory),
        "Crawl store": _broker(found.crawl_store),
        "Task channel": _broker(found.task_channel),
        "Event bus": _broker(found.event_bus),
        "Filters": "; ".join(f"{each.task_id}: {filter_in_words(each.filter)}" for each in found.filters),
    }


def _broker(found: "BrokerState | StoreState | None") -> str:
    if found is None:
        return ""
    words = {"away": "does not answer", "unused": "not used by this master, which does not lead"}
    return f"{found.address} ({words.get(found.state, found.state)})"


def _counts(numbers: dict[str, int], total: int | None) -> str:
    parts = ", ".join(f"{number:,} {name}" for name, number in numbers.items() if number)
    if total is None:
        return parts or "no nodes"
    return f"{total:,}{f' ({parts})' if parts else ''}"
