"""Running a part of a cluster from its start to its end."""

import asyncio
import ssl
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Protocol

import click

from crawlmesh.cli.cluster_connection import trust
from crawlmesh.cli.connection_file import ConnectionNote, read_connection, write_connection
from crawlmesh.cli.distribution.find_master import find_master
from crawlmesh.cli.distribution.greeting import greet_master, greet_worker, warn_of_risks
from crawlmesh.cli.distribution.interrupts import Interrupts
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.errors import CrawlmeshError, ForbiddenError, OutputError, UnauthenticatedError
from crawlmesh.observability.logging import LogOptions, start_logging
from crawlmesh.settings import Mode, Settings
from crawlmesh.wiring.keys import MasterKeys
from crawlmesh.wiring.master import Master
from crawlmesh.wiring.worker import Worker, make_worker
from crawlmesh.worker.garbage import spare_long_lived_objects

_WORKER_LOG = "distribution-{}.log"
_PATIENCE = 5.0  # seconds until people are told that no master answers
_DRAINING = "Draining: what runs is finished or given back. Ctrl-C again stops at once."


class Ending(Protocol):
    """Something that runs until it ends."""

    async def wait(self) -> None:
        """Return when it has ended; raises what it ended with."""
        ...


class Joining(Protocol):
    """A worker that looks for its place in a cluster."""

    @property
    def refusal(self) -> str:
        """What a master said that does not let it in."""
        ...

    async def start(self) -> None:
        """Return when a master knows it."""
        ...


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
        spare_long_lived_objects()  # a full collection holds up everybody who asks a master of a large fleet
        greet_master(settings, master.url, keys)
        await interrupts.unless_asked(wait_for_both(master, worker) if worker else master.wait())
    finally:
        if worker is not None:
            await worker.stop()
        await master.stop()


async def wait_for_both(master: Ending, worker: Ending) -> None:
    """Return when the master has ended. A worker that was drained may be gone; one that failed may not."""
    serving = asyncio.ensure_future(master.wait())
    working = asyncio.ensure_future(worker.wait())
    try:
        await asyncio.wait({serving, working}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            _look_at_the_end(working.exception())
        await serving
    finally:
        serving.cancel()
        working.cancel()
        await asyncio.gather(serving, working, return_exceptions=True)


def _look_at_the_end(error: BaseException | None) -> None:
    if error is not None:
        raise CrawlmeshError(
            f"The worker of this process ended by a fault ({type(error).__name__}: {error}), so the master "
            "stops, too. What was stored is safe; start again."
        ) from error
    click.echo(
        "The worker of this process has left, as it was told to; `crawlmesh node resume` cannot bring it "
        "back. The master goes on; start this process anew to have a worker again.",
        err=True,
    )


async def _run_worker(settings: Settings, interrupts: Interrupts) -> None:
    found = await find_master(settings)
    worker = await make_worker(settings, found.urls, found.join_token, trust(settings))
    interrupts.last_act = worker.abort
    try:
        await interrupts.unless_asked(join(worker, found.urls))
        if not interrupts.asked.is_set():
            greet_worker(settings, worker.node_id, found.urls)
            await interrupts.unless_asked(worker.wait())
    finally:
        await worker.stop()


async def join(worker: Joining, urls: list[str]) -> None:
    """Start the worker; it tries until a master answers, and people should know that."""
    joining = asyncio.ensure_future(worker.start())
    try:
        done, _ = await asyncio.wait({joining}, timeout=_PATIENCE)
        if not done:
            trouble = (
                f"The master does not let the worker in yet: {worker.refusal.rstrip('.')};"
                if worker.refusal
                else f"No master answers at {', '.join(urls)} yet;"
            )
            click.echo(f"{trouble} the worker goes on trying.", err=True)
        await joining
    except (UnauthenticatedError, ForbiddenError) as error:
        raise type(error)(
            f"The master at {', '.join(urls)} does not let this worker in: {str(error).rstrip('.')}. Give "
            "the cluster's join token with --join-token or CRAWLMESH_JOIN_TOKEN; `crawlmesh key create NAME "
            "--role node` makes another."
        ) from error
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
    file = log_file(settings)
    try:
        return start_logging(LogOptions(level=settings.log_level, file=file))
    except OSError as error:
        raise OutputError(f"The log cannot be written to {file}: {error.strerror}.") from error


def log_file(settings: Settings) -> Path | None:
    """A worker that is told nothing has a file of its own: two processes cannot take turns with one."""
    file = settings.log_file
    if file is None or settings.mode is not Mode.WORKER or "log_file" in settings.model_fields_set:
        return file
    return file.with_name(_WORKER_LOG.format(settings.device_id or "worker"))
