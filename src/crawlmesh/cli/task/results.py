"""`crawlmesh task results`: what a crawl brought."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click
import msgspec

from crawlmesh.cli.cluster_connection import connection_options, with_client
from crawlmesh.cli.words import in_bytes
from crawlmesh.errors import OutputError

if TYPE_CHECKING:
    from crawlmesh.client import Client

_TABLES = (".csv", ".parquet")


@click.command()
@click.argument("task_id")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write there: a table where it ends in .csv or .parquet. [default: standard output]",
)
@connection_options()
def results(task_id: str, output: Path | None, **connection: Any) -> None:
    """Write the records of a task, one JSON object on each line; also while it still runs."""
    if output is None:
        with_client(connection, lambda client: write_records(client, task_id, sys.stdout))
        return
    if output.suffix.lower() in _TABLES:
        _download(task_id, output, connection)
        return
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with output.open("w", encoding="utf-8") as file:
            number = with_client(connection, lambda client: write_records(client, task_id, file))
    except OSError as error:
        raise OutputError(f"The records cannot be written to {output}: {error.strerror}.") from error
    click.echo(f"{number:,} records are in {output}.")


def _download(task_id: str, output: Path, connection: dict[str, Any]) -> None:
    """Have the master write the table. It appears under its name when it is whole."""
    part = output.with_name(f"{output.name}.part")
    file_format = output.suffix.lower().removeprefix(".")
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as file:
                size = with_client(connection, lambda client: client.tasks.export(task_id, file, file_format))
            part.replace(output)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise OutputError(f"The records cannot be written to {output}: {error.strerror}.") from error
    click.echo(f"{in_bytes(size)} are in {output}.")


async def write_records(client: "Client", task_id: str, file: TextIO) -> int:
    """Write the records of a task as JSON lines. Returns how many there are."""
    await client.tasks.get(task_id)  # says so where there is no such task
    number = 0
    async for record in client.tasks.records(task_id):
        file.write(msgspec.json.encode(record).decode() + "\n")
        number += 1
    return number
