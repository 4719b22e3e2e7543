"""The URLs of a crawl that were given up: which they are, and trying them once more."""

from collections.abc import Sequence

from crawlmesh.control.changing import change_task, known_task
from crawlmesh.control.context import ControlContext
from crawlmesh.errors import ConflictError, UnknownCrawlError
from crawlmesh.model.record import DeadLink
from crawlmesh.model.task import WEB_CRAWL, Task
from crawlmesh.rules import task_lifecycle
from crawlmesh.rules.url_identity import canonicalize


async def failed_urls(
    context: ControlContext, task_id: str, reason: str | None = None, *, after: int = 0, limit: int = 100
) -> list[DeadLink]:
    """Those with a link id above `after`, in the order of link ids. Raises NotFoundError."""
    await known_task(context, task_id)
    return await context.crawl_store.dead_links(task_id, reason, after, limit)


async def retry_failed_urls(
    context: ControlContext, task_id: str, reason: str | None = None, urls: Sequence[str] | None = None
) -> Task:
    """Try the URLs of a crawl once more that were given up: all, those of a reason, or these.

    Raises ConflictError where there are none.
    """
    task = await known_task(context, task_id)
    if task.task_type != WEB_CRAWL:
        raise ConflictError(f"The task {task_id!r} is a {task.task_type!r}, which has no URLs to retry.")
    try:
        revived = await context.crawl_store.retry_dead(task_id, reason, _fingerprints(urls))
    except UnknownCrawlError:
        revived = 0
    if not revived:
        raise ConflictError(f"The task {task_id!r} has no {_wanted(reason, urls)} that was given up.")
    task = await known_task(context, task_id)
    if not task.ended:
        return task
    now = context.clock.now()
    return await change_task(
        context, task_id, lambda task, running: task_lifecycle.retried(task, running, now)
    )


def _fingerprints(urls: Sequence[str] | None) -> list[bytes] | None:
    """How the store knows these URLs; what is no URL is not there."""
    if urls is None:
        return None
    identities = [canonicalize(url) for url in urls]
    return [identity.fingerprint for identity in identities if identity is not None]


def _wanted(reason: str | None, urls: Sequence[str] | None) -> str:
    named = "URL" if urls is None else f"URL {urls[0]!r}" if len(urls) == 1 else "URL of those named"
    return named if reason is None else f"{named} with the reason {reason!r}"
