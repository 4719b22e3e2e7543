"""Where a worker's master is, and what lets the worker in."""

import click
import msgspec

from crawlmesh.cli.connection_file import read_connection
from crawlmesh.errors import MasterUnreachableError, UsageError
from crawlmesh.settings import Settings


class FoundMaster(msgspec.Struct, frozen=True):
    """The addresses of a cluster's masters, and the token to register with."""

    urls: list[str]
    join_token: str


async def find_master(settings: Settings) -> FoundMaster:
    """From the settings, else the master of the same data folder, else one that the network tells of."""
    note = read_connection(settings.data_dir)
    urls = settings.master_urls or ([note.url] if note else [])
    if not urls:
        return await _in_the_network(settings)
    # A token goes to the master it belongs to, and to no other that an address names.
    own = note is not None and set(urls) <= {note.url}
    token = settings.join_token or settings.api_key or (note.join_token if note and own else None)
    if token is None:
        raise UsageError(
            f"The master at {', '.join(urls)} wants a join token: it printed one when it was first started. "
            "Give it with --join-token or CRAWLMESH_JOIN_TOKEN, or make another with "
            "`crawlmesh key create NAME --role node`."
        )
    return FoundMaster(urls, token)


async def _in_the_network(settings: Settings) -> FoundMaster:
    """Anybody can answer there: nothing is sent but a join token, and only one that the user gave."""
    urls = await _listen(settings)
    if settings.join_token is None:
        key = "The admin key is not sent there. " if settings.api_key else ""
        raise UsageError(
            f"The network tells of a master at {', '.join(urls)}, which anybody could have announced. {key}"
            "Give a join token with --join-token or CRAWLMESH_JOIN_TOKEN, or name the master that you trust "
            "with --master-url."
        )
    return FoundMaster(urls, settings.join_token)


async def _listen(settings: Settings) -> list[str]:
    if settings.discovery:
        from crawlmesh.wiring.discovery import make_discovery  # noqa: PLC0415 - zeroconf is slow to import

        click.echo(f"Looking for a master in the network for {settings.discovery_timeout:g} s …", err=True)
        urls = await make_discovery().find(settings.discovery_timeout)
        if urls:
            return urls
    raise MasterUnreachableError(
        "No master was found. Name one with --master-url, CRAWLMESH_MASTER_URL or master_url in the "
        "configuration file."
    )
