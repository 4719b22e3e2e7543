"""All parts of the suite in one class."""

from crawlmesh.testing.conformance.crawl_store.adding import Adding, Skipping, TemplateLimit
from crawlmesh.testing.conformance.crawl_store.case import CrawlStoreCase
from crawlmesh.testing.conformance.crawl_store.concurrency import Concurrency
from crawlmesh.testing.conformance.crawl_store.counters import Counters, HostCounters
from crawlmesh.testing.conformance.crawl_store.crawls import Crawls
from crawlmesh.testing.conformance.crawl_store.dead_links import DeadLinks, RetryingSome
from crawlmesh.testing.conformance.crawl_store.dedup_modes import Filters, RefusedFilters
from crawlmesh.testing.conformance.crawl_store.durability import Closing, Durability
from crawlmesh.testing.conformance.crawl_store.expiry import Expiry, Renewing
from crawlmesh.testing.conformance.crawl_store.fencing import Fencing
from crawlmesh.testing.conformance.crawl_store.host_limits import (
    BlockedHosts,
    LimitedDelay,
    LimitedSlots,
)
from crawlmesh.testing.conformance.crawl_store.host_statuses import HostStatuses, KeptLimits
from crawlmesh.testing.conformance.crawl_store.leasing import AskingAgain, Leasing
from crawlmesh.testing.conformance.crawl_store.ledger import Ledger
from crawlmesh.testing.conformance.crawl_store.limits import PageBudget, RequestLimits
from crawlmesh.testing.conformance.crawl_store.politeness import (
    FirstMetHosts,
    HostMemory,
    HostRests,
    HostSlots,
)
from crawlmesh.testing.conformance.crawl_store.random_walk import RandomWalk
from crawlmesh.testing.conformance.crawl_store.records import Records
from crawlmesh.testing.conformance.crawl_store.revisiting import Recrawling, RetryingDead
from crawlmesh.testing.conformance.crawl_store.settling import Settling
from crawlmesh.testing.conformance.crawl_store.sharing import Sharing
from crawlmesh.testing.conformance.parts import refuse_shadowed_names


class CrawlStoreSuite(
    Crawls,
    Adding,
    Skipping,
    TemplateLimit,
    Leasing,
    AskingAgain,
    RequestLimits,
    PageBudget,
    FirstMetHosts,
    HostSlots,
    HostRests,
    HostMemory,
    BlockedHosts,
    LimitedSlots,
    LimitedDelay,
    KeptLimits,
    HostStatuses,
    Settling,
    Fencing,
    Expiry,
    Renewing,
    Counters,
    HostCounters,
    Records,
    RetryingDead,
    RetryingSome,
    DeadLinks,
    Recrawling,
    Ledger,
    Concurrency,
    Sharing,
    RandomWalk,
    Filters,
    RefusedFilters,
    Closing,
    Durability,
):
    """Every rule of `crawlmesh.ports.crawl_store`. An adapter subclasses it as `TestItsName`."""


refuse_shadowed_names(CrawlStoreSuite, CrawlStoreCase)
