"""`crawlmesh export`: the records of a crawl in any format, at any time."""

import asyncio
from pathlib import Path

import click

from crawlmesh.cli.opened_crawl import opened_crawl
from crawlmesh.cli.options import config_options, setting_flags, state_option
from crawlmesh.cli.state_folders import existing_state
from crawlmesh.settings import load_settings
from crawlmesh.wiring import check_output_path, open_archive, open_writer
from crawlmesh.worker.export import export_records


@click.command()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The format is chosen by the extension: .jsonl, .jsonl.gz, .csv, .parquet or .warc.gz.",
)
@state_option()
@config_options()
def export(output: Path, state: Path | None, config: Path | None, data_dir: Path | None) -> None:
    """Write the stored records of a crawl into a file."""
    check_output_path(output)
    settings = load_settings(setting_flags(data_dir=data_dir), config)
    written = asyncio.run(_export(existing_state(settings, state), output))
    click.echo(f"{written:,} records written to {output}")


async def _export(state: Path, output: Path) -> int:
    async with opened_crawl(state) as opened:
        archive = open_archive(opened.archive) if opened.definition.archive else None
        try:
            return await export_records(opened.store, opened.crawl.id, open_writer(output, archive))
        finally:
            if archive is not None:
                archive.close()
