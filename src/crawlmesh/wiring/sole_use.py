"""Being alone with the stores of a cluster, for what no master would survive."""

from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager

from crawlmesh.adapters.files import StateFolder
from crawlmesh.errors import StoreLockedError
from crawlmesh.settings import Settings
from crawlmesh.wiring.crawl import system_clock
from crawlmesh.wiring.stores import (
    control_store_url,
    crawl_store_url,
    folders_of,
    is_server,
    open_control_store,
    without_password,
)


@asynccontextmanager
async def sole_use(settings: Settings, *, has_tables: bool) -> AsyncIterator[None]:
    """Keep masters away from stores that are files; raise StoreLockedError where a master runs.

    One on a database of several machines is noticed by its lead, which ends with it. `has_tables`:
    the control store was made before, so that somebody may lead.
    """
    with ExitStack() as locks:
        for folder in folders_of(control_store_url(settings), crawl_store_url(settings)):
            try:
                locks.enter_context(StateFolder(folder))
            except StoreLockedError as error:
                raise StoreLockedError(
                    f"A master runs on the stores in {folder}; nothing was deleted. Stop it first."
                ) from error
        if has_tables and is_server(control_store_url(settings)):
            await _check_lead(control_store_url(settings))
        yield


async def _check_lead(url: str) -> None:
    store = await open_control_store(url)
    try:
        leader = await store.leader()
    finally:
        await store.aclose()
    left = 0.0 if leader is None else leader.expires_at - system_clock().now()
    if leader is not None and left > 0:
        raise StoreLockedError(
            f"The master {leader.holder} leads on {without_password(url)}; nothing was deleted. Stop all "
            f"masters first; the lead of one that was killed runs out in {left:.0f} seconds."
        )
