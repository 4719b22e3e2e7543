"""Moving crawl data from one store into another, and comparing what both hold."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, TypeVar, cast

import msgspec

from crawlmesh.model.copies import CopiedRow, HostCopy, LinkCopy
from crawlmesh.ports.crawl_transfer import CrawlTransfer
from crawlmesh.rules.copy_checksums import Tally

Tell = Callable[[str, int], None]  # what is under way, and how many rows of it are through

Batch = TypeVar("Batch")

_PARTS = ("hosts", "links", "skips", "templates", "shares")


async def tally_crawls(store: CrawlTransfer, tell: Tell = lambda _, __: None) -> Tally:
    """Count everything that a store holds, and its checksums."""
    tally = Tally()
    tally.add_rows(await store.crawls())
    for part in _PARTS:
        await _stream(getattr(store, part)(), tally, tell, f"checking {part}")
    return tally


async def move_crawls(source: CrawlTransfer, target: CrawlTransfer, tell: Tell = lambda _, __: None) -> Tally:
    """Put everything that the source holds into the target, which is empty. Returns what was read.

    Moments are moved by as much as the clocks of the stores differ, in whole seconds.
    """
    crawls = await source.crawls()
    for copy in crawls:
        target.refuse(copy.crawl)
    await target.clear()
    shift = float(round(await target.now() - await source.now()))
    tally = Tally()
    tally.add_rows(crawls)
    await _stream(source.hosts(), tally, tell, "hosts", shift, target.put_hosts)
    await target.put_crawls(crawls)
    await _stream(source.links(), tally, tell, "links", shift, target.put_links)
    await _stream(source.skips(), tally, tell, "skips", shift, target.put_skips)
    await _stream(source.templates(), tally, tell, "templates", shift, target.put_templates)
    await _stream(source.shares(), tally, tell, "shares", shift, target.put_shares)
    await target.finish(await source.sequences())
    return tally


async def _stream(
    batches: AsyncIterator[Sequence[CopiedRow]],
    tally: Tally,
    tell: Tell,
    name: str,
    shift: float = 0.0,
    put: Callable[[Any], Awaitable[None]] | None = None,
) -> None:
    through = 0
    async with aclosing(one_ahead(batches)) as opened:
        async for batch in opened:
            rows = [_shifted(row, shift) for row in batch] if shift else batch
            tally.add_rows(rows)
            if put is not None:
                await put(rows)
            through += len(rows)
            tell(name, through)


async def one_ahead(batches: AsyncIterator[Batch]) -> AsyncGenerator[Batch, None]:
    """The same batches; while one is put, the next one is read."""

    async def read() -> Batch | None:
        return await anext(batches, None)

    coming = asyncio.create_task(read())
    try:
        while (batch := await coming) is not None:
            coming = asyncio.create_task(read())
            yield batch
    finally:
        await asyncio.wait([coming])  # a thread that reads cannot be stopped
        coming.cancelled() or coming.exception()
        await cast("AsyncGenerator[Batch, None]", batches).aclose()


def _shifted(row: CopiedRow, shift: float) -> CopiedRow:
    if isinstance(row, HostCopy) and row.state is not None:
        return msgspec.structs.replace(row, ready_at=row.ready_at + shift)
    if isinstance(row, LinkCopy) and row.due is not None:
        return msgspec.structs.replace(row, due=row.due + shift)
    return row
