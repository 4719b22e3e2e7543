"""Copies: what one store hands to another when a deployment moves house.

They say all that a store knows, in a form that no store has of its own. Leases have no copies: they end when
a deployment moves, and their links are pending again.
"""

import msgspec

from crawlmesh.model.crawl import Crawl, CrawlProgress
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.link import LinkState
from crawlmesh.model.record import Attempt


class Visit(msgspec.Struct, frozen=True, gc=False):
    """How a visit of a link ended."""

    kind: str  # OutcomeKind
    attempt: int
    http_status: int | None
    reason: str | None
    final_url: str | None
    fetched_at: float
    elapsed: float  # seconds
    size: int  # bytes


class LinkCopy(msgspec.Struct, frozen=True, gc=False):
    """A link with its whole ledger. Ids stay what they were, so parents and the order of links do too.

    `kept` is the visit that brought the copy which the store holds, where that is not `visit`: the page has
    not changed since, or the link is pending again.
    """

    crawl_id: str
    id: int
    fingerprint: bytes
    url: str
    request_url: str | None
    host: str
    depth: int
    priority: int
    found_by: str
    redirects: int
    parent_id: int | None
    state: LinkState  # never leased
    attempts_made: int = 0  # of a pending link
    due: float | None = None  # of a pending link that waits for its next attempt: not before this moment
    visit: Visit | None = None  # of a link that is done or dead
    kept: Visit | None = None
    etag: str | None = None
    last_modified: str | None = None
    attempts: tuple[Attempt, ...] = ()  # those that failed or found nothing new, oldest first
    record: bytes | None = None
    archive: str | None = None  # of the record


class SkipCopy(msgspec.Struct, frozen=True, gc=False):
    """A URL that a rule kept out, and that is no link."""

    crawl_id: str
    fingerprint: bytes
    url: str
    rule: str
    parent_id: int | None
    depth: int


class TemplateCopy(msgspec.Struct, frozen=True, gc=False):
    """How many links of a URL template a crawl has."""

    crawl_id: str
    template: int
    links: int


class ShareCopy(msgspec.Struct, frozen=True, gc=False):
    """One host's part in one crawl."""

    crawl_id: str
    host: str
    queued: int  # pending links
    done: int
    dead: int
    requests: int
    elapsed: float  # seconds, over all requests


class HostCopy(msgspec.Struct, frozen=True):
    """A host over all crawls."""

    host: str
    state: HostState | None  # None: never met, it has limits only
    ready_at: float  # no lease before this moment
    limits: HostLimits = HostLimits()


class CrawlCopy(msgspec.Struct, frozen=True):
    """A crawl and its counters; leased links count as pending."""

    crawl: Crawl
    progress: CrawlProgress
    revisits: bool = False  # whether leases carry validators


class Sequences(msgspec.Struct, frozen=True):
    """The highest numbers that a store has given away."""

    fence: int = 0
    link: int = 0


CopiedRow = LinkCopy | SkipCopy | TemplateCopy | ShareCopy | HostCopy
