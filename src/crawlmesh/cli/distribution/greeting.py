"""What a start prints."""

import click

from crawlmesh.cli.connection_file import connection_path
from crawlmesh.settings import Mode, Settings
from crawlmesh.version import __version__
from crawlmesh.wiring.keys import MasterKeys

_SHORT_KEY = 16  # characters


def greet_master(settings: Settings, url: str, keys: MasterKeys) -> None:
    """Where the master is, and what opens it; keys that were made now are shown this once."""
    kind = "master and worker" if settings.mode is Mode.STANDALONE else "master"
    note = connection_path(settings.data_dir)
    click.echo(f"Crawlmesh {__version__}, {kind}, is ready at {url}")
    click.echo(f"  Dashboard          {url} (sign in with the key)")
    click.echo(f"  API documentation  {url}/docs (sign in with any name and the key as password)")
    click.echo(f"  Data folder        {settings.data_dir / 'cluster'}")
    if keys.new_api_key:
        click.echo(f"  Admin key          {keys.api_key} (shown only now; kept in {note})")
    elif keys.api_key is None:
        click.echo(
            "  Admin key          there is one already: in cluster/connection.json of the data folder of"
        )
        click.echo(
            "                     the master that made it. There, `crawlmesh key create NAME --role admin`"
        )
        click.echo("                     makes another; --api-key at a start sets a new one instead of it")
    elif settings.api_key is None:
        click.echo(f"  Admin key          as before, kept in {note}")
    if keys.new_join_token:
        click.echo(f"  Join token         {keys.join_token} (for `crawlmesh distribute --mode worker`)")
    click.echo("Try: crawlmesh task submit https://example.com/ --select title=h1 --wait")
    click.echo("Ctrl-C drains and stops; a second one stops at once.")


def greet_worker(settings: Settings, node_id: str, urls: list[str]) -> None:
    """Who the worker is, and whom it works for."""
    click.echo(f"Crawlmesh {__version__}, worker {node_id}, works for {', '.join(urls)}")
    click.echo(f"  Tasks at once      {settings.concurrent_tasks}")
    click.echo("Ctrl-C drains and stops; a second one stops at once.")


def warn_of_risks(settings: Settings) -> None:
    """Say what a stranger could take advantage of."""
    if settings.host not in {"127.0.0.1", "::1", "localhost"} and settings.tls_certificate is None:
        click.echo(
            f"crawlmesh: The master listens on {settings.host} without TLS: keys and data can be read on the "
            "way. Give tls_certificate and tls_key, or put a proxy with TLS before it.",
            err=True,
        )
    if settings.api_key is not None and len(settings.api_key) < _SHORT_KEY:
        click.echo(
            f"crawlmesh: The setting api_key has fewer than {_SHORT_KEY} characters and could be guessed.",
            err=True,
        )
