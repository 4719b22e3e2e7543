"""Leases: time-limited ownership of a few links of one host."""

from collections.abc import Sequence

import msgspec

from crawlmesh.model.host import HostLimits, HostReport, HostState
from crawlmesh.model.link import LeasedLink, NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome


class LeaseRequest(msgspec.Struct, frozen=True):
    """How much work a node asks for."""

    node_id: str
    crawl_ids: tuple[str, ...]  # the crawls that the node may work on
    max_links: int  # over all batches
    max_batches: int = 32
    batch_links: int = 64  # per batch
    batch_slots: int = 2  # of one host per batch, where the host is not exclusive
    duration: float = 60.0  # seconds until the lease expires


class HostBatch(msgspec.Struct, frozen=True):
    """A lease: some links of one host, owned until `expires_at` by whoever knows the `fence`."""

    fence: int
    host: HostState
    slots: int  # requests that may run at once under this lease
    expires_at: float
    links: tuple[LeasedLink, ...]
    limits: HostLimits = HostLimits()  # of a user; `host` is without them


class LeaseGrant(msgspec.Struct, frozen=True):
    """The answer to a lease request. `retry_in` says when asking again may help.

    None: not before something else is settled, added, renewed or expired.
    """

    batches: tuple[HostBatch, ...]
    retry_in: float | None = None  # seconds


class Settlement(msgspec.Struct, frozen=True):
    """The end of one host batch, or of a part of it.

    Links of the batch without an outcome are returned, but for the `unfinished` ones: they stay
    leased, and as long as there are any, so does the host.
    """

    fence: int
    outcomes: Sequence[LinkOutcome]
    discovered: Sequence[NewLink] = ()
    skipped: Sequence[SkippedLink] = ()
    report: HostReport = HostReport()
    unfinished: Sequence[int] = ()  # ids of links


class Renewal(msgspec.Struct, frozen=True):
    """Asks for more time for a lease, and may bring news of its host."""

    fence: int
    duration: float  # seconds from when the store takes it
    report: HostReport | None = None
