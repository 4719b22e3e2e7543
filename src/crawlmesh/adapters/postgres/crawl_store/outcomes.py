"""Writing how attempts ended: outcomes, attempts and records."""

from collections import Counter
from typing import Any

from crawlmesh.adapters.postgres.crawl_store.changes import Changes
from crawlmesh.adapters.postgres.crawl_store.session import Session, clean
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind

_INSERT_OUTCOMES = """
INSERT INTO outcomes{ending} (crawl, link, kind, attempt, http_status, reason, final_url, fetched_at, elapsed,
                              size, etag, last_modified, archive)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::integer[], $5::integer[], $6::text[],
                     $7::text[], $8::double precision[], $9::double precision[], $10::bigint[],
                     $11::text[], $12::text[], $13::text[])
ON CONFLICT (crawl, link) DO UPDATE SET kind = excluded.kind
"""

_REPLACE_OUTCOMES = (
    _INSERT_OUTCOMES
    + """, attempt = excluded.attempt, http_status = excluded.http_status, reason = excluded.reason,
    final_url = excluded.final_url, fetched_at = excluded.fetched_at, elapsed = excluded.elapsed,
    size = excluded.size, etag = excluded.etag, last_modified = excluded.last_modified,
    archive = excluded.archive
"""
)

_INSERT_ATTEMPTS = """
INSERT INTO attempts{ending} (crawl, link, number, at, kind, http_status, reason, elapsed)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::double precision[], $5::text[],
                     $6::integer[], $7::text[], $8::double precision[])
"""

_DELETE_RECORDS = """
DELETE FROM records{ending} WHERE (crawl, link) IN (SELECT * FROM unnest($1::integer[], $2::bigint[]))
RETURNING crawl
"""

# Only a row that was inserted has not been locked by anybody: xmax is 0.
_INSERT_RECORDS = """
INSERT INTO records{ending} (crawl, link, data) SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bytea[])
ON CONFLICT (crawl, link) DO UPDATE SET data = excluded.data
RETURNING crawl, xmax = 0 AS inserted
"""


class Outcomes:
    """The outcomes of links that one transaction settles. Each link has one at most."""

    def __init__(self, revisited: set[int]) -> None:
        """`revisited`: the crawls whose links may have a record of an earlier visit."""
        self._revisited = revisited
        self._outcomes: list[tuple[Any, ...]] = []
        self._unchanged: list[tuple[Any, ...]] = []
        self._attempts: list[tuple[Any, ...]] = []
        self._records: list[tuple[int, int, bytes]] = []
        self._recordless: list[tuple[int, int]] = []

    def take(self, crawl: int, attempt: int, outcome: LinkOutcome) -> None:
        """Take the outcome of a link of a crawl."""
        kind = outcome.kind
        if kind in (OutcomeKind.RETRY, OutcomeKind.DEAD, OutcomeKind.NOT_MODIFIED):
            self._attempts.append(_attempt_row(crawl, attempt, outcome))
        if kind is OutcomeKind.RETRY:
            return
        if kind is OutcomeKind.NOT_MODIFIED:
            self._unchanged.append(_outcome_row(crawl, attempt, outcome))
            return
        self._outcomes.append(_outcome_row(crawl, attempt, outcome))
        if kind is OutcomeKind.FETCHED and outcome.record is not None:
            self._records.append((crawl, outcome.link_id, outcome.record))
        elif crawl in self._revisited:
            self._recordless.append((crawl, outcome.link_id))

    async def write(self, session: Session, changes: Changes) -> None:
        """Write them, and count records."""
        await session.write_crawl_rows(_REPLACE_OUTCOMES, self._outcomes)
        # A page that has not changed keeps its record, its validators and its place in the archive.
        await session.write_crawl_rows(_INSERT_OUTCOMES, self._unchanged)
        await session.write_crawl_rows(_INSERT_ATTEMPTS, self._attempts)
        gone = await session.fetch_crawl_rows(_DELETE_RECORDS, self._recordless)
        written = await session.fetch_crawl_rows(_INSERT_RECORDS, self._records)
        counts = Counter(crawl for crawl, inserted in written if inserted)
        counts.subtract(row[0] for row in gone)
        for crawl, number in counts.items():
            changes.count(crawl, "records", number)


def _outcome_row(crawl: int, attempt: int, outcome: LinkOutcome) -> tuple[Any, ...]:
    return (
        crawl,
        outcome.link_id,
        outcome.kind,
        attempt,
        outcome.http_status,
        clean(outcome.reason),
        clean(outcome.final_url),
        outcome.fetched_at,
        outcome.elapsed,
        outcome.size,
        clean(outcome.etag),
        clean(outcome.last_modified),
        clean(outcome.archive),
    )


def _attempt_row(crawl: int, attempt: int, outcome: LinkOutcome) -> tuple[Any, ...]:
    return (
        crawl,
        outcome.link_id,
        attempt,
        outcome.fetched_at,
        outcome.kind,
        outcome.http_status,
        clean(outcome.reason),
        outcome.elapsed,
    )
