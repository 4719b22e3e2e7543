"""Ctrl-C: the first drains, the second ends at once."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

import click

from crawlmesh.cli.exit_codes import ExitCode

Answer = TypeVar("Answer")

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LAST_ACT = 1.0  # seconds


class Interrupts:
    """Listens for signals; an async context manager. `asked` is set by the first one.

    At the second one, `last_act` is done where there is one, and the process ends; a third one ends
    it without.
    """

    def __init__(self, message: str) -> None:
        self._message = message
        self._ending: asyncio.Task[None] | None = None
        self.asked = asyncio.Event()
        self.last_act: Callable[[], Awaitable[None]] | None = None

    def _hear(self) -> None:
        if not self.asked.is_set():
            self.asked.set()
            click.echo(self._message, err=True)
        elif self.last_act is None or self._ending is not None:
            _exit()
        else:
            self._ending = asyncio.create_task(self._end(self.last_act))

    async def _end(self, last_act: Callable[[], Awaitable[None]]) -> None:
        try:
            async with asyncio.timeout(_LAST_ACT):
                await last_act()
        finally:
            _exit()

    async def unless_asked(self, work: Coroutine[Any, Any, Answer]) -> Answer | None:
        """The answer of some work, or None where a signal came before."""
        task = asyncio.ensure_future(work)
        asked = asyncio.ensure_future(self.asked.wait())
        try:
            await asyncio.wait({task, asked}, return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else None
        finally:
            task.cancel()
            asked.cancel()
            await asyncio.gather(task, asked, return_exceptions=True)

    async def __aenter__(self) -> Self:
        for number in _SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self._hear)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in _SIGNALS:
            asyncio.get_running_loop().remove_signal_handler(number)


def _exit() -> None:
    # Whatever is stored is whole at any moment; what is under way will be done again.
    os._exit(ExitCode.INTERRUPTED)
