"""What became of one attempt at a link."""

from enum import StrEnum

import msgspec


class OutcomeKind(StrEnum):
    """The ends that an attempt can have, and the link state that each leads to."""

    FETCHED = "fetched"  # done; may carry a record
    NOT_MODIFIED = "not_modified"  # done; the record of the earlier visit stays
    REDIRECTED = "redirected"  # done; the target is a link of its own
    SKIPPED = "skipped"  # done; a rule that needed the host's answer kept it out (robots, type)
    RETRY = "retry"  # pending again, not before `retry_in` seconds
    DEAD = "dead"  # dead; `reason` says why
    RETURNED = "returned"  # pending again at once, the attempt does not count


class LinkOutcome(msgspec.Struct, frozen=True, gc=False):
    """The end of one attempt, as it is settled. `record` is a JSON object or None."""

    link_id: int
    kind: OutcomeKind
    attempt: int = 1
    http_status: int | None = None
    reason: str | None = None
    final_url: str | None = None  # None: the same as the requested URL
    fetched_at: float = 0.0
    elapsed: float = 0.0  # seconds
    size: int = 0  # bytes of the decoded body
    etag: str | None = None
    last_modified: str | None = None
    retry_in: float = 0.0  # seconds
    record: bytes | None = None
    archive: str | None = None  # where the page lies in the archive: "segment:offset:length"
