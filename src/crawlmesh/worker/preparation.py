"""Getting a crawl ready: new, resumed, retried or visited again."""

from enum import StrEnum

import msgspec

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.limits import CrawlLimits
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.errors import StateMismatchError, UsageError
from crawlmesh.model.crawl import Crawl, CrawlProgress, Dedup
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore

__all__ = ["CrawlLimits", "Prepared", "Start", "crawl_of", "prepare"]


class Start(StrEnum):
    """How to go about a crawl that the state knows already."""

    RESUME = "resume"
    RETRY_FAILED = "retry_failed"
    RECRAWL = "recrawl"


class Prepared(msgspec.Struct, frozen=True):
    """A crawl that is ready to be worked on. `before` is where it stood."""

    crawl: Crawl
    plan: CrawlPlan
    before: CrawlProgress
    resumed: bool
    retried: int = 0


async def prepare(
    store: CrawlStore,
    clock: Clock,
    crawl_id: str,
    definition: CrawlDefinition | None,
    limits: CrawlLimits,
    start: Start,
) -> Prepared:
    """Make or find the crawl of a state. Without a definition, the one that is kept there counts."""
    known = await store.crawls()
    if known:
        return await _go_on(store, known[0], definition, limits, start)
    if definition is None or start is not Start.RESUME:
        raise UsageError(
            "There is no crawl here to go on with. Give the URLs to start from, "
            "or name the folder of an earlier crawl with --state."
        )
    crawl = crawl_of(crawl_id, clock, definition, limits)
    await store.create_crawl(crawl)
    plan = CrawlPlan(crawl.id, definition, dedup=crawl.dedup)
    await store.add(plan.seed_links())
    return Prepared(crawl, plan, CrawlProgress(), resumed=False)


def crawl_of(crawl_id: str, clock: Clock, definition: CrawlDefinition, limits: CrawlLimits) -> Crawl:
    """A new crawl, as a store keeps it."""
    crawl = Crawl(
        crawl_id,
        definition.to_json(),
        clock.now(),
        dedup=limits.dedup or Dedup.EXACT,
        filter_capacity=limits.dedup_capacity,
        filter_error_rate=limits.dedup_error_rate,
    )
    return _with_limits(crawl, definition, limits)


async def _go_on(
    store: CrawlStore,
    crawl: Crawl,
    definition: CrawlDefinition | None,
    limits: CrawlLimits,
    start: Start,
) -> Prepared:
    kept = CrawlDefinition.from_json(crawl.definition)
    if definition is not None and (differences := kept.differences(definition)):
        raise StateMismatchError(
            f"This state belongs to a crawl with other {', '.join(differences)}. "
            "Repeat the command that made it, choose another folder with --state, or start over with --fresh."
        )
    if limits.dedup not in (None, crawl.dedup):
        raise StateMismatchError(
            f"This state belongs to a crawl that was begun with --dedup {crawl.dedup}, and cannot go on with "
            f"{limits.dedup}. Give --dedup {crawl.dedup}, choose another folder with --state, or start over "
            "with --fresh."
        )
    # The lock on the state says that no process of an earlier run is alive.
    await store.expire(everything=True)
    crawl = _with_limits(crawl, kept, limits)
    await store.update_crawl(crawl)
    plan = CrawlPlan(crawl.id, kept, dedup=crawl.dedup)
    await store.add(plan.seed_links())  # an earlier run may have been killed before it did
    retried = await _start_again(store, crawl.id, start)
    return Prepared(crawl, plan, await store.progress(crawl.id), resumed=True, retried=retried)


async def _start_again(store: CrawlStore, crawl_id: str, start: Start) -> int:
    if start is Start.RETRY_FAILED:
        return await store.retry_dead(crawl_id)
    if start is Start.RECRAWL and not _is_being_recrawled(await store.progress(crawl_id)):
        return await store.recrawl(crawl_id)
    return 0


def _is_being_recrawled(progress: CrawlProgress) -> bool:
    """A recrawl that was killed goes on: pages count from its beginning, records stay from before."""
    return not progress.finished and progress.records > progress.pages


def _with_limits(crawl: Crawl, definition: CrawlDefinition, limits: CrawlLimits) -> Crawl:
    return msgspec.structs.replace(
        crawl,
        max_pages=limits.max_pages,
        max_pages_per_template=definition.traps.pages_per_template,
        default_delay=limits.delay,
        default_slots=limits.per_host,
    )
