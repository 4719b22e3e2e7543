"""The event loop of what runs for long."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


def run_long(main: Coroutine[Any, Any, _Result]) -> _Result:
    """As asyncio.run, on uvloop: sockets, timers and wake-ups at half the price."""
    import uvloop  # noqa: PLC0415 - only masters and workers need it

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(main)
