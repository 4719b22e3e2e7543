"""A crawl: the link graph of one task, and its progress."""

from enum import StrEnum

import msgspec

from crawlmesh.model.host import HostState

DEFAULT_FILTER_CAPACITY = 1_000_000  # links
DEFAULT_FILTER_ERROR_RATE = 0.0001
_NEARLY_FULL = 0.9


class Dedup(StrEnum):
    """How a crawl recognises known links. A Bloom filter needs 2 to 4 bytes a link, and may err."""

    EXACT = "exact"
    BLOOM = "bloom"


class FilterStatus(msgspec.Struct, frozen=True):
    """The Bloom filter of a crawl. It grows by a layer before its error rate would break."""

    capacity: int  # links, of all layers
    count: int  # links that were added
    layers: int
    bytes: int
    error_rate: float  # expected now

    @property
    def fill(self) -> float:
        """From 0 to 1."""
        return self.count / self.capacity if self.capacity else 0.0

    @property
    def nearly_full(self) -> bool:
        """Whether it will soon grow to more than twice its size."""
        return self.fill >= _NEARLY_FULL


class CrawlFilter(msgspec.Struct, frozen=True):
    """The filter of one crawl."""

    task_id: str
    status: FilterStatus


class Crawl(msgspec.Struct, frozen=True):
    """A crawl as the store knows it. `definition` is the JSON of what the user asked for.

    `max_pages`: links are leased only while `pages` + leased stays at or below it.
    `max_pages_per_template`: further links of a URL template are skipped as a spider trap.
    """

    id: str
    definition: bytes
    created_at: float
    max_pages: int | None = None
    max_pages_per_template: int | None = None
    default_delay: float = 0.0  # for hosts that are met for the first time; seconds
    default_slots: int = 4  # the same
    dedup: Dedup = Dedup.EXACT
    filter_capacity: int = DEFAULT_FILTER_CAPACITY  # links that the first layer of a Bloom filter is made for
    filter_error_rate: float = (
        DEFAULT_FILTER_ERROR_RATE  # of all layers together: new links that are taken for known ones
    )


class CrawlProgress(msgspec.Struct, frozen=True):
    """Counters of a crawl. They are kept, not counted: reading them costs the same at any size."""

    pending: int = 0
    leased: int = 0
    done: int = 0
    dead: int = 0
    records: int = 0
    bytes: int = 0
    skipped: int = 0
    retries: int = 0
    pages: int = 0  # attempts that count against `max_pages`: fetched or not modified
    by_outcome: dict[str, int] = {}  # OutcomeKind of every settled attempt
    by_status: dict[str, int] = {}  # HTTP status of every settled attempt
    by_rule: dict[str, int] = {}  # what rules kept out: URLs that never became links, and skipped links
    by_reason: dict[str, int] = {}  # dead links, by reason
    filter: FilterStatus | None = None  # where the crawl has one

    @property
    def added(self) -> int:
        """How many links the crawl has."""
        return self.pending + self.leased + self.done + self.dead

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do."""
        return self.pending == 0 and self.leased == 0


class HostProgress(msgspec.Struct, frozen=True):
    """One host's part in a crawl, for people to look at.

    `ready_in`: how long the host still rests, so that nobody is granted a lease of it before.
    """

    host: str
    queued: int
    done: int
    dead: int
    mean_elapsed: float  # seconds per settled request
    state: HostState
    ready_in: float = 0.0  # seconds; 0: it does not rest
