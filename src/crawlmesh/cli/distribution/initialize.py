"""Making a place ready for a cluster: its tables and its configuration files."""

import asyncio
from contextlib import nullcontext
from pathlib import Path

import click

from crawlmesh.cli.connection_file import connection_path
from crawlmesh.cli.distribution.config_files import write_missing_files
from crawlmesh.cli.options import config_options, setting_flags
from crawlmesh.settings import Mode, Settings, load_settings, mode_file


@click.command()
@click.option("--reset", is_flag=True, help="Delete all tasks, nodes, keys and crawls of the cluster.")
@click.option("--yes", is_flag=True, help="Do not ask before --reset.")
@config_options()
def initialize(reset: bool, yes: bool, config: Path | None, data_dir: Path | None) -> None:
    """Make the tables of a cluster and write the configuration files that are missing.

    What has data stays as it is, unless --reset is given.
    """
    for path, written in write_missing_files(Path()).items():
        click.echo(f"{path}: {'written' if written else 'is there already, kept'}")
    mode = load_settings(setting_flags(data_dir=data_dir), config).mode
    settings = load_settings(setting_flags(data_dir=data_dir), config, default_file=mode_file(Mode(mode)))
    if reset and not yes:
        click.confirm("Delete all tasks, nodes, keys and crawls of the cluster?", abort=True)
    asyncio.run(_make_tables(settings, reset=reset))
    click.echo("Ready. Start with: python main.py distribute --mode standalone")


async def _make_tables(settings: Settings, *, reset: bool) -> None:
    from crawlmesh import migrations  # noqa: PLC0415 - Alembic is slow to import
    from crawlmesh.wiring import stores  # noqa: PLC0415
    from crawlmesh.wiring.sole_use import sole_use  # noqa: PLC0415

    control = stores.control_store_url(settings)
    stores.make_folder(control)
    before = await migrations.current(control)
    async with sole_use(settings, has_tables=before is not None) if reset else nullcontext():
        if reset and before is not None:
            await migrations.downgrade(control, "base")
            connection_path(settings.data_dir).unlink(missing_ok=True)
        await migrations.upgrade(control)
        deleted = await _make_crawl_tables(stores.crawl_store_url(settings), reset=reset)
    now = await migrations.current(control)
    state = "emptied" if reset and before else "made" if before is None else "were there, kept"
    click.echo(f"{stores.without_password(control)}: the tables for tasks and nodes {state} (revision {now})")
    click.echo(
        f"{stores.without_password(stores.crawl_store_url(settings))}: the tables for crawls are ready"
        + (f", {deleted} crawls deleted" if reset else "")
    )


async def _make_crawl_tables(url: str, *, reset: bool) -> int:
    from crawlmesh.wiring.stores import open_cluster_crawl_store  # noqa: PLC0415

    store = await open_cluster_crawl_store(url)
    try:
        crawls = await store.crawls() if reset else []
        for crawl in crawls:
            await store.delete_crawl(crawl.id)
    finally:
        await store.aclose()
    return len(crawls)
