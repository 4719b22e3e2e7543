"""`crawlmesh crawls`: what lies in the data folder."""

import asyncio
from pathlib import Path

import click
import msgspec
from rich.table import Table

from crawlmesh.cli.console import table_console
from crawlmesh.cli.opened_crawl import opened_crawl
from crawlmesh.cli.options import config_options, setting_flags
from crawlmesh.cli.state_folders import known_states
from crawlmesh.errors import CrawlmeshError
from crawlmesh.settings import load_settings


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each crawl.")
@config_options()
def crawls(as_json: bool, config: Path | None, data_dir: Path | None) -> None:
    """List the crawls in the data folder, the latest first."""
    settings = load_settings(setting_flags(data_dir=data_dir), config)
    rows = [asyncio.run(_row(state)) for state in known_states(settings)]
    if as_json:
        for row in rows:
            click.echo(msgspec.json.encode(row).decode())
        return
    if not rows:
        click.echo(f"There is no crawl in {settings.data_dir} yet.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0))
    for name in rows[0]:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    table_console().print(table)


async def _row(state: Path) -> dict[str, object]:
    try:
        async with opened_crawl(state) as opened:
            progress = await opened.store.progress(opened.crawl.id)
    except CrawlmeshError as error:
        return {
            "state": str(state),
            "pages": "",
            "records": "",
            "pending": "",
            "dead": "",
            "note": str(error),
        }
    return {
        "state": str(state),
        "pages": progress.pages,
        "records": progress.records,
        "pending": progress.pending,
        "dead": progress.dead,
        "note": "finished" if progress.finished else "to be resumed",
    }
