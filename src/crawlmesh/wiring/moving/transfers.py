"""The transfers of both ends, by their addresses."""

from contextlib import AsyncExitStack
from typing import Any

from crawlmesh.errors import UsageError
from crawlmesh.ports.control_transfer import ControlTransfer
from crawlmesh.ports.crawl_transfer import CrawlTransfer
from crawlmesh.wiring.crawl import system_clock
from crawlmesh.wiring.moving.ends import file_of
from crawlmesh.wiring.stores import make_folder, without_password

_POSTGRES = ("postgresql://", "postgres://")


async def open_crawl_transfer(address: str, closing: AsyncExitStack, *, is_source: bool) -> CrawlTransfer:
    """The crawl data at an address; of a source nothing is changed."""
    transfer: Any
    file = file_of(address)
    if file is not None:
        from crawlmesh.adapters.sqlite.transfer import SqliteCrawlTransfer  # noqa: PLC0415

        make_folder(address)
        opener = SqliteCrawlTransfer.open_to_read if is_source else SqliteCrawlTransfer.open
        transfer = await opener(file, system_clock())
    elif address.startswith(_POSTGRES):
        from crawlmesh.adapters.postgres.crawl_transfer import PostgresCrawlTransfer  # noqa: PLC0415

        transfer = await PostgresCrawlTransfer.open(address, make_tables=not is_source)
    else:
        from crawlmesh.adapters.redis.crawl_transfer import RedisCrawlTransfer  # noqa: PLC0415

        transfer = await RedisCrawlTransfer.open(address)
    closing.push_async_callback(transfer.aclose)
    return transfer  # type: ignore[no-any-return]  # three kinds, all of which are one


async def open_control_transfer(address: str, closing: AsyncExitStack, *, is_source: bool) -> ControlTransfer:
    """The control data at an address, with its tables up to date."""
    from crawlmesh.migrations import current, upgrade  # noqa: PLC0415 - Alembic is slow to import

    transfer: Any
    make_folder(address)
    if is_source and await current(address) is None:
        raise UsageError(f"There is no control data at {without_password(address)}.")
    await upgrade(address)
    file = file_of(address)
    if file is not None:
        from crawlmesh.adapters.sqlite.transfer import SqliteControlTransfer  # noqa: PLC0415

        opener = SqliteControlTransfer.open_to_read if is_source else SqliteControlTransfer.open
        transfer = await opener(file)
    else:
        from crawlmesh.adapters.postgres.control.control_transfer import (  # noqa: PLC0415
            PostgresControlTransfer,
        )

        transfer = await PostgresControlTransfer.open(address)
    closing.push_async_callback(transfer.aclose)
    return transfer  # type: ignore[no-any-return]  # two kinds, both of which are one
