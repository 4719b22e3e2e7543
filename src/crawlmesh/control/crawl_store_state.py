"""Whether the crawl store answers."""

import asyncio
from typing import Literal

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.errors import StoreError

_PATIENCE = 0.5  # seconds: whoever asks wants to know now


class StoreState(msgspec.Struct, frozen=True):
    """How the crawl store stands. Workers wait while it is away, and go on by themselves."""

    address: str  # without a password
    state: Literal["connected", "away"]


async def crawl_store_state(context: ControlContext) -> StoreState:
    """Ask the crawl store for something that it need not look for."""
    try:
        async with asyncio.timeout(_PATIENCE):
            await context.crawl_store.explain("", bytes(16))
    except (StoreError, TimeoutError):
        return StoreState(context.crawl_store_address, "away")
    return StoreState(context.crawl_store_address, "connected")
