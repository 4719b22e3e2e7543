"""Records: what was extracted from one page."""

import msgspec

from crawlmesh.model.link import FoundBy, LinkState


class Record(msgspec.Struct, frozen=True):
    """One page's yield. `url` is canonical; `data` is a JSON object, kept as it was written."""

    link_id: int
    url: str
    final_url: str
    status: int
    depth: int
    fetched_at: float
    data: bytes  # JSON
    archive: str | None = None


class Attempt(msgspec.Struct, frozen=True):
    """One try at a link that is kept for the ledger."""

    number: int
    at: float
    kind: str
    http_status: int | None
    reason: str | None
    elapsed: float


class LedgerEntry(msgspec.Struct, frozen=True):
    """Everything the store knows about one URL of a crawl."""

    url: str
    depth: int
    found_by: FoundBy | None
    parent_url: str | None
    state: LinkState | None  # None: skipped before it became a link
    rule: str | None = None  # by which it was skipped
    outcome: str | None = None
    http_status: int | None = None
    reason: str | None = None
    final_url: str | None = None
    fetched_at: float | None = None
    elapsed: float | None = None
    size: int | None = None
    attempts: tuple[Attempt, ...] = ()
    has_record: bool = False
    redirected_from: tuple[str, ...] = ()


class DeadLink(msgspec.Struct, frozen=True):
    """A link that was given up. `reason` is "unknown" where none was told."""

    link_id: int
    url: str
    reason: str
    http_status: int | None
    attempts: int
    at: float  # of the last attempt
