"""`crawlmesh extract`: new selectors over pages that an earlier crawl kept."""

import asyncio
from pathlib import Path

import click
import msgspec

from crawlmesh.cli.extraction_options import extraction_from
from crawlmesh.cli.opened_crawl import OpenedCrawl, opened_crawl
from crawlmesh.cli.options import config_options, selector_options, setting_flags, state_option
from crawlmesh.cli.state_folders import existing_state
from crawlmesh.crawl.extraction import Document, ExtractionSpec, Extractor
from crawlmesh.crawl.page_visit import encode_record
from crawlmesh.errors import UsageError
from crawlmesh.model.record import Record
from crawlmesh.ports.page_archive import PageArchive
from crawlmesh.ports.record_writer import RecordWriter
from crawlmesh.settings import load_settings
from crawlmesh.wiring import check_output_path, open_archive, open_writer

_PAGE = 500  # records


@click.command()
@selector_options()
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help=".jsonl, .csv or .parquet.",
)
@state_option()
@config_options()
def extract(
    selections: tuple[str, ...],
    spec_file: Path | None,
    metadata: bool | None,
    output: Path,
    state: Path | None,
    config: Path | None,
    data_dir: Path | None,
) -> None:
    """Run selectors over the pages archived by an earlier crawl (--archive), without the network."""
    check_output_path(output)
    extraction, with_metadata = extraction_from(selections, spec_file, metadata)
    if extraction is None and not with_metadata:
        raise UsageError("Nothing to extract was named. Give --select, --spec or --metadata.")
    spec = None if extraction is None else ExtractionSpec.from_json(extraction)
    settings = load_settings(setting_flags(data_dir=data_dir), config)
    written = asyncio.run(_extract(existing_state(settings, state), Extractor(spec, with_metadata), output))
    click.echo(f"{written:,} records written to {output}")


async def _extract(state: Path, extractor: Extractor, output: Path) -> int:
    async with opened_crawl(state) as opened:
        if not opened.definition.archive:
            raise UsageError(
                f"The crawl in {state} kept no pages. Crawl with --archive to be able to extract again."
            )
        archive = open_archive(opened.archive)
        writer = open_writer(output, archive)
        try:
            return await _extract_all(opened, archive, extractor, writer)
        except BaseException:
            writer.abort()
            raise
        finally:
            archive.close()


async def _extract_all(
    opened: OpenedCrawl, archive: PageArchive, extractor: Extractor, writer: RecordWriter
) -> int:
    after = written = 0
    while records := await opened.store.records(opened.crawl.id, after, _PAGE):
        writer.write(_extracted(record, archive, extractor) for record in records)
        after = records[-1].link_id
        written += len(records)
    writer.close()
    return written


def _extracted(record: Record, archive: PageArchive, extractor: Extractor) -> Record:
    if record.archive is None:
        return record
    page = archive.read(record.archive)
    data = extractor.extract(Document(page.body, page.header("content-type"), page.url))
    return msgspec.structs.replace(record, data=encode_record(data))
