"""Running an agent from a terminal."""

import asyncio
import signal
from collections.abc import Callable

from crawlmesh.worker.agent import Agent


async def run_agent(agent: Agent, on_signal: Callable[[bool], None] | None = None) -> None:
    """Run until the agent ends. Ctrl-C and SIGTERM let it leave in order, the second time at once.

    `on_signal` is told of each, and whether it was the first.
    """
    loop = asyncio.get_running_loop()
    asked = False

    def signalled() -> None:
        nonlocal asked
        first, asked = not asked, True
        if on_signal is not None:
            on_signal(first)
        agent.stop() if first else agent.abort()

    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, signalled)
    try:
        await agent.run()
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
