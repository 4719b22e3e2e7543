"""Deferred links whose moment has come go into the queue."""

from crawlmesh.adapters.postgres.crawl_store.changes import Changes
from crawlmesh.adapters.postgres.crawl_store.session import Session

_AT_ONCE = 10_000  # so that one transaction does not hold up others for long

_TAKE_DUE = """
DELETE FROM deferred WHERE (crawl, due, link) IN (
    SELECT crawl, due, link FROM deferred WHERE crawl = ANY($1::integer[]) AND due <= $2
    ORDER BY due LIMIT $3 FOR UPDATE SKIP LOCKED
)
RETURNING crawl, host, rank, link, attempt
"""


async def queue_due_links(session: Session, crawl_ids: tuple[str, ...]) -> None:
    """Let the links of these crawls be leased that may be tried again by now."""
    crawls = [row.number for row in (await session.enter(crawl_ids)).values()]
    changes = Changes()
    for crawl, host, rank, link, attempt in await session.fetch(
        _TAKE_DUE, crawls, await session.moment(), _AT_ONCE
    ):
        changes.queue(crawl, host, rank, link, attempt)
        changes.share(crawl, host).waiting -= 1
    await changes.write(session)
