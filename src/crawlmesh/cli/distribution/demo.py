"""The demo: a standalone server, and a crawl that is submitted to it as any user would."""

import logging
import socket
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import click
import msgspec

from crawlmesh.cli.cluster_connection import client_for
from crawlmesh.cli.connection_file import connection_path
from crawlmesh.cli.demo import SELECTORS
from crawlmesh.cli.distribution.interrupts import Interrupts
from crawlmesh.cli.distribution.run import start_master, start_own_worker
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.printing import print_fields
from crawlmesh.cli.task.ending import end_code
from crawlmesh.cli.task.results import write_records
from crawlmesh.cli.task.watching import watch_task
from crawlmesh.cli.words import in_bytes, in_time
from crawlmesh.client import Client, NewTask
from crawlmesh.client.answers import Task
from crawlmesh.errors import OutputError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.observability.logging import LOGGER_NAME, TextFormatter
from crawlmesh.settings import Settings, load_settings

_USUAL_PORT = 8000


class DemoOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What the demo shall do."""

    url: str
    hosts: tuple[str, ...]  # beside that of the URL
    output: Path
    port: int | None
    stay: bool
    flags: dict[str, Any]
    config: Path | None


async def run_demo(order: DemoOrder) -> int:
    """Start the server, submit the crawl, show it, write its records."""
    settings = _settings(order)
    async with AsyncExitStack() as closing, Interrupts("Stopping.") as interrupts:
        _log_to_file(settings, closing)
        master, keys = await start_master(settings)
        closing.push_async_callback(master.stop)
        worker = await start_own_worker(settings, master, keys)
        closing.push_async_callback(worker.stop)
        click.echo(f"The dashboard runs at {master.url}; the API is explained at {master.url}/docs.")
        click.echo(f"Sign in with the key in {connection_path(settings.data_dir)}.\n")
        client = await closing.enter_async_context(client_for(settings))
        code = await interrupts.unless_asked(_crawl(client, order))
        if code is None:
            return ExitCode.INTERRUPTED
        if order.stay:
            click.echo(
                f"\nThe server stays at {master.url} until Ctrl-C. Open it in a browser, or use the commands:"
            )
            click.echo(f"  crawlmesh status --data-dir {settings.data_dir}")
            click.echo(f"  crawlmesh task list --data-dir {settings.data_dir}")
            await interrupts.asked.wait()
        else:
            click.echo("\nThe server ends here; `crawlmesh demo --serve` keeps it and its dashboard.")
    return code


async def _crawl(client: Client, order: DemoOrder) -> int:
    parameters = {"url": order.url, "allow_hosts": list(order.hosts), "selectors": SELECTORS}
    submitted = await client.tasks.submit(NewTask(parameters=parameters, categories=("demo",)))
    click.echo(f"POST /api/v1/tasks took the crawl as {submitted.id}.")
    task = await watch_task(client, submitted.id)
    number = await _write(client, task.id, order.output)
    _print_summary(task, await client.tasks.progress(task.id), number, order.output, client.url)
    return end_code(task)


async def _write(client: Client, task_id: str, output: Path) -> int:
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with output.open("w", encoding="utf-8") as file:
            return await write_records(client, task_id, file)
    except OSError as error:
        raise OutputError(f"The records cannot be written to {output}: {error.strerror}.") from error


def _print_summary(task: Task, progress: CrawlProgress, records: int, output: Path, url: str) -> None:
    seconds = 0.0
    if task.completed_at is not None:
        seconds = (task.completed_at - (task.started_at or task.created_at)).total_seconds()
    reasons = ", ".join(f"{reason}: {number:,}" for reason, number in sorted(progress.by_reason.items()))
    print_fields(
        {
            "Task": task.id,
            "Status": task.status,
            "Pages": f"{progress.pages:,}",
            "Records": f"{records:,}",
            "Downloaded": in_bytes(progress.bytes),
            "Dead links": f"{progress.dead:,}{f' ({reasons})' if reasons else ''}",
            "Skipped": f"{progress.skipped:,}",
            "Time": in_time(seconds),
            "Written to": str(output),
            "Dashboard": url,
            "API documentation": f"{url}/docs",
        }
    )


def _settings(order: DemoOrder) -> Settings:
    base = load_settings(order.flags, order.config)
    flags = {
        "mode": "standalone",
        "host": "127.0.0.1",
        "port": _free_port() if order.port is None else order.port,
        "data_dir": base.data_dir / "demo",
        "allow_private_networks": True,
        "discovery": False,
    }
    settings = load_settings({**order.flags, **flags}, order.config)
    return settings.model_copy(update={"master_url": None})


def _free_port() -> int:
    with socket.socket() as probe:
        try:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", _USUAL_PORT))
        except OSError:
            return 0
    return _USUAL_PORT


def _log_to_file(settings: Settings, closing: AsyncExitStack) -> None:
    """The terminal belongs to the demo."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    logger = logging.getLogger(LOGGER_NAME)
    handler = logging.FileHandler(settings.data_dir / "demo.log", encoding="utf-8")
    handler.setFormatter(TextFormatter())
    logger.addHandler(handler)
    logger.setLevel(settings.log_level)
    closing.callback(handler.close)
    closing.callback(logger.removeHandler, handler)
