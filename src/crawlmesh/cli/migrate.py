"""`crawlmesh migrate`: move a deployment to other stores."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from crawlmesh.cli.cluster_connection import json_option
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.options import config_options, setting_flags
from crawlmesh.cli.printing import print_json, print_table
from crawlmesh.errors import StoreError, UsageError
from crawlmesh.settings import load_settings, mode_file

if TYPE_CHECKING:
    from crawlmesh.wiring.moving.move import PartMoved

_LINE_EVERY = 100_000  # rows, where the output is no terminal
_SETTINGS = {"control": "control_store", "crawl": "crawl_store"}


@click.command()
@click.option("--from", "source", metavar="ADDRESS", help="Where the data is: sqlite:///PATH (a file, or the "
              "folder of control.db and crawls.db), postgresql://… or redis://…")  # fmt: skip
@click.option("--to", "target", metavar="ADDRESS", help="Where it shall be; it must be empty.")
@click.option("--control-from", metavar="ADDRESS", help="Where tasks and nodes are, if not at --from.")
@click.option("--control-to", metavar="ADDRESS", help="Where tasks and nodes shall be, if not at --to.")
@click.option(
    "--what",
    type=click.Choice(["all", "crawl", "control"]),
    help="What is moved. [default: what both addresses have a place for]",
)
@click.option("--dry-run", is_flag=True, help="Only count what there is to move.")
@click.option("--keep-source", is_flag=True, help="Let masters work on with what is left behind: a copy.")
@click.option(
    "--unmark",
    metavar="ADDRESS",
    help="Take the mark of a move from an address, and do nothing else. "
    "What a broken move left there is deleted.",
)
@json_option()
@config_options()
def migrate(
    source: str | None,
    target: str | None,
    control_from: str | None,
    control_to: str | None,
    what: str | None,
    dry_run: bool,
    keep_source: bool,
    unmark: str | None,
    as_json: bool,
    config: Path | None,
    data_dir: Path | None,
) -> int:
    """Move a deployment, paused or in the middle of crawls, to other stores, and compare both ends.

    Masters must be stopped; workers may stay and find the new ones. Broken off, it begins anew with the
    same command. Crawls go on where they stood as soon as masters start with the new addresses.
    """
    if unmark is not None:
        from crawlmesh.wiring.moving.unmark import unmark as take_marks_away  # noqa: PLC0415

        for sentence in asyncio.run(take_marks_away(unmark)):
            click.echo(sentence)
        return ExitCode.DONE
    if source is None or target is None:
        raise UsageError("Say where the data is and where it shall be: give both --from and --to.")
    flags = setting_flags(data_dir=data_dir)
    mode = load_settings(flags, config).mode
    settings = load_settings(flags, config, default_file=mode_file(mode))

    from crawlmesh.wiring.moving.ends import ends_of, parts_to_move  # noqa: PLC0415
    from crawlmesh.wiring.moving.move import Move  # noqa: PLC0415
    from crawlmesh.wiring.stores import control_store_url  # noqa: PLC0415

    giving = ends_of(source, "--from", what or "", control_from, is_source=True)
    taking = ends_of(target, "--to", what or "", control_to, is_source=False)
    parts = parts_to_move(what or "", giving, taking)
    progress = _Progress()
    move = Move(giving, taking, parts, [control_store_url(settings)], progress)
    moved = asyncio.run(move.count() if dry_run else move.run(keep_source=keep_source))
    progress.end()
    if as_json:
        print_json([_as_json(part, dry_run=dry_run) for part in moved])
    else:
        _print(moved, dry_run=dry_run)
    differing = [] if dry_run else [part for part in moved if part.differences]
    if differing:
        kinds = ", ".join(kind for part in differing for kind in part.differences)
        raise StoreError(
            f"What arrived is not what was sent: {kinds}. Nothing is lost: the source is as it was, and the "
            "target refuses masters. Run the same command again."
        )
    return ExitCode.DONE


class _Progress:
    """Tells how far it is: on a terminal in one line, elsewhere in some lines."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = ("", 0)

    def __call__(self, name: str, rows: int) -> None:
        before, told = self._last
        if self._live:
            click.echo(f"\r\x1b[K{name}: {rows:,}", nl=False, err=True)
        elif name != before or rows - told >= _LINE_EVERY:
            click.echo(f"{name}: {rows:,}", err=True)
        else:
            return
        self._last = (name, rows)

    def end(self) -> None:
        """Leave the line."""
        if self._live and self._last[0]:
            click.echo("\r\x1b[K", nl=False, err=True)


def _print(moved: "list[PartMoved]", *, dry_run: bool) -> None:
    for part in moved:
        click.echo(f"{part.part} data: {part.source} → {part.target}")
        kinds = sorted({*part.counts, *part.counts_there})
        if dry_run:
            print_table(("rows", "here"), [(kind, part.counts[kind]) for kind in kinds], "nothing")
            continue
        rows = [
            (
                kind,
                part.counts.get(kind, 0),
                part.counts_there.get(kind, 0),
                part.checksums.get(kind, "")[:16],
                "differs" if kind in part.differences else "identical" if kind in part.checksums else "",
            )
            for kind in kinds
        ]
        print_table(("rows", "here", "there", "checksum", "result"), rows, "nothing")
    if not dry_run and not any(part.differences for part in moved):
        click.echo("Both ends are identical. From now on, start masters with:")
        for part in moved:
            click.echo(f'  {_SETTINGS[part.part]} = "{part.target}"')
        click.echo("Give workers that use the crawl store themselves the new address too.")


def _as_json(part: "PartMoved", *, dry_run: bool) -> dict[str, object]:
    told: dict[str, object] = {
        "part": part.part,
        "from": part.source,
        "to": part.target,
        "counts": part.counts,
        "checksums": part.checksums,
    }
    if dry_run:
        return told
    return told | {
        "counts_there": part.counts_there,
        "checksums_there": part.checksums_there,
        "identical": not part.differences,
        "setting": {_SETTINGS[part.part]: part.target},
    }
