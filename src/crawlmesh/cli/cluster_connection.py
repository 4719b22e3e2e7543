"""The options of commands that talk to a master, and the client they make of them."""

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from crawlmesh.cli.connection_file import read_connection
from crawlmesh.cli.options import Decorator, config_options, setting_flags, together
from crawlmesh.errors import SettingError, UsageError
from crawlmesh.settings import Settings, load_settings

if TYPE_CHECKING:
    from crawlmesh.client import Client

Answer = TypeVar("Answer")


def connection_options() -> Decorator:
    """Which master is meant."""
    return together(
        click.option(
            "--url",
            "master_url",
            metavar="URL",
            help="Address of the master. [default: the master that runs with the same data folder]",
        ),
        click.option("--api-key", metavar="KEY", help="Key that opens it. [default: as with --url]"),
        config_options(),
    )


def json_option() -> Decorator:
    """For machines."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def with_client(connection: dict[str, Any], call: "Callable[[Client], Awaitable[Answer]]") -> Answer:
    """Do something with a client for the options of `connection_options`."""

    async def run() -> Answer:
        async with client_for(connection_settings(connection)) as client:
            return await call(client)

    return asyncio.run(run())


def connection_settings(connection: dict[str, Any]) -> Settings:
    """The settings of a command that talks to a master."""
    names = ("master_url", "api_key", "data_dir")
    return load_settings(setting_flags(**{name: connection[name] for name in names}), connection["config"])


def client_for(settings: Settings) -> "Client":
    """A client for the master of the settings, else for the one that runs with the same data folder."""
    from crawlmesh.client import Client  # noqa: PLC0415 - aiohttp is slow to import

    note = read_connection(settings.data_dir)
    urls = settings.master_urls or ([note.url] if note else [])
    if not urls:
        raise UsageError(
            f"No master was started with the data folder {settings.data_dir}. Start one with "
            "`crawlmesh distribute`, or name one with --url or CRAWLMESH_MASTER_URL."
        )
    # A key goes to the master it belongs to, and to no other that an address names.
    own = note is not None and set(urls) <= {note.url}
    key = settings.api_key or (note.api_key if note and own else None)
    return Client(urls, api_key=key, ssl_context=trust(settings))


def trust(settings: Settings) -> ssl.SSLContext | None:
    """Whose certificates are believed; None: those the system believes."""
    authority: Path | None = settings.tls_authority
    if authority is None:
        return None
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(cafile=authority)
    except OSError as error:
        raise SettingError(
            f"The setting tls_authority names {authority}, which cannot be used: {error.strerror or error}."
        ) from error
    return context
