"""Running a part of a cluster from its start to its end."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import click

from crawlmesh.cli.cluster_connection import trust
from crawlmesh.cli.connection_file import ConnectionNote, read_connection, write_connection
from crawlmesh.cli.distribution.find_master import find_master
from crawlmesh.cli.distribution.greeting import greet_master, greet_worker, warn_of_risks
from crawlmesh.cli.distribution.interrupts import Interrupts
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.errors import OutputError
from crawlmesh.observability.logging import LogOptions, start_logging
from crawlmesh.settings import Mode, Settings
from crawlmesh.wiring.keys import MasterKeys
from crawlmesh.wiring.master import Master
from crawlmesh.wiring.worker import Worker, make_worker

_PATIENCE = 5.0  # seconds until people are told that no master answers
_DRAINING = "Draining: what runs is finished or given back. Ctrl-C again stops at once."


async def run_distribution(settings: Settings) -> int:
    """Run what the settings say until it is asked to end, or the worker was drained by a master."""
    async with AsyncExitStack() as closing, Interrupts(_DRAINING) as interrupts:
        closing.callback(_start_logging(settings))
        if settings.mode is Mode.WORKER:
            await _run_worker(settings, interrupts)
        else:
            await _run_master(settings, interrupts)
    return ExitCode.DONE


async def _run_master(settings: Settings, interrupts: Interrupts) -> None:
    master, keys = await start_master(settings)
    warn_of_risks(settings)
    worker: Worker | None = None
    try:
        if settings.mode is Mode.STANDALONE:
            worker = await start_own_worker(settings, master, keys)
            interrupts.last_act = worker.abort
        greet_master(settings, master.url, keys)
        await interrupts.unless_asked(master.wait())
    finally:
        if worker is not None:
            await worker.stop()
        await master.stop()


async def _run_worker(settings: Settings, interrupts: Interrupts) -> None:
    found = await find_master(settings)
    worker = await make_worker(settings, found.urls, found.join_token, trust(settings))
    interrupts.last_act = worker.abort
    try:
        await interrupts.unless_asked(_join(worker, found.urls))
        if not interrupts.asked.is_set():
            greet_worker(settings, worker.node_id, found.urls)
            await interrupts.unless_asked(worker.wait())
    finally:
        await worker.stop()


async def _join(worker: Worker, urls: list[str]) -> None:
    """Start the worker; it tries until a master answers, and people should know that."""
    joining = asyncio.ensure_future(worker.start())
    try:
        done, _ = await asyncio.wait({joining}, timeout=_PATIENCE)
        if not done:
            click.echo(f"No master answers at {', '.join(urls)} yet; the worker goes on trying.", err=True)
        await joining
    finally:
        joining.cancel()


async def start_master(settings: Settings) -> tuple[Master, MasterKeys]:
    """Start a master and leave a note for the commands of this machine."""
    before = read_connection(settings.data_dir)
    master = Master(settings)
    keys = await master.start(
        known_api_key=before.api_key if before else None,
        known_join_token=before.join_token if before else None,
    )
    note = ConnectionNote(url=master.url, api_key=keys.api_key, join_token=keys.join_token)
    write_connection(settings.data_dir, note)
    return master, keys


async def start_own_worker(settings: Settings, master: Master, keys: MasterKeys) -> Worker:
    """The worker of a standalone process."""
    worker = await make_worker(
        settings, [master.url], keys.join_token, _trust_oneself(settings), master.crawl_store
    )
    await worker.start()
    return worker


def _trust_oneself(settings: Settings) -> ssl.SSLContext | None:
    """The certificate is for the name by which others know the master, not for the loopback address."""
    if settings.tls_certificate is None:
        return None
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _start_logging(settings: Settings) -> Callable[[], None]:
    file: Path | None = settings.log_file
    try:
        return start_logging(LogOptions(level=settings.log_level, file=file))
    except OSError as error:
        raise OutputError(f"The log cannot be written to {file}: {error.strerror}.") from error
