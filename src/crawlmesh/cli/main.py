"""The command `crawlmesh`."""

import asyncio
import os
import sys
from collections.abc import Sequence

import click

from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.lazy_group import LazyGroup
from crawlmesh.errors import CrawlmeshError, UsageError
from crawlmesh.version import __version__

_HERE = "crawlmesh.cli"
_COMMANDS = {
    "crawl": f"{_HERE}.crawl:crawl",
    "try": f"{_HERE}.try_page:try_page",
    "export": f"{_HERE}.export:export",
    "extract": f"{_HERE}.extract:extract",
    "why": f"{_HERE}.why:why",
    "crawls": f"{_HERE}.crawls:crawls",
    "distribute": f"{_HERE}.distribute:distribute",
    "migrate": f"{_HERE}.migrate:migrate",
    "status": f"{_HERE}.status:status",
    "task": f"{_HERE}.task:task",
    "node": f"{_HERE}.node:node",
    "host": f"{_HERE}.host:host",
    "cluster": f"{_HERE}.cluster:cluster",
    "key": f"{_HERE}.key:key",
    "events": f"{_HERE}.events:events",
    "demo": f"{_HERE}.demo:demo",
    "reference": f"{_HERE}.reference:reference",
}


@click.group(
    cls=LazyGroup,
    places=_COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="crawlmesh")
def crawlmesh() -> None:
    """Crawl sites: fast, politely, and so that a kill loses nothing; alone or as a cluster."""


def main(arguments: Sequence[str] | None = None, command: click.Command = crawlmesh) -> None:
    """Run the command line; every failure is one sentence and an exit code."""
    sys.exit(_run(arguments, command))


def _run(arguments: Sequence[str] | None, command: click.Command) -> int:
    try:
        code = command.main(arguments, prog_name=command.name, standalone_mode=False)
    except click.exceptions.Abort:
        return ExitCode.INTERRUPTED
    except click.ClickException as error:
        _say(error.format_message(), _help_hint(error))
        return error.exit_code
    except CrawlmeshError as error:
        _say(str(error))
        return ExitCode.USAGE if isinstance(error, UsageError) else ExitCode.FAILED
    except (KeyboardInterrupt, asyncio.CancelledError):
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.FAILED
    except OSError as error:
        _say(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}.")
        return ExitCode.FAILED
    except Exception as error:
        if os.environ.get("CRAWLMESH_DEBUG"):
            raise
        _say(
            f"An unexpected fault: {type(error).__name__}: {error}. What was stored is safe. "
            "Set CRAWLMESH_DEBUG=1 to see where it happened, and please report it."
        )
        return ExitCode.FAILED
    return code if isinstance(code, int) else ExitCode.DONE


def _help_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"See '{context.command_path} --help'." if context else ""


def _say(*sentences: str) -> None:
    click.echo("crawlmesh: " + " ".join(sentence for sentence in sentences if sentence), err=True)


if __name__ == "__main__":
    main()
