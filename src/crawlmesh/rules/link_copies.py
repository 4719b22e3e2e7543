"""How the ledger of a link becomes a copy and a copy a ledger, where outcomes and attempts are tables.

There, `outcomes` has how the latest visit ended, which stays while a link is pending again; a page that was
not modified changes only its kind. `attempts` has every try that failed, and those that found nothing new.
"""

from collections.abc import Sequence

from crawlmesh.model.copies import LinkCopy, Visit
from crawlmesh.model.link import LinkState
from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.model.record import Attempt

_WITH_VALIDATORS = {OutcomeKind.FETCHED, OutcomeKind.NOT_MODIFIED}
_KEPT_AS_ATTEMPTS = {OutcomeKind.DEAD, OutcomeKind.NOT_MODIFIED}

Ending = tuple[LinkState, Visit | None, Visit | None]


def ending_of(outcome: Visit | None, attempts: Sequence[Attempt], *, pending: bool) -> Ending:
    """The state, the visit that ended and the one that is kept, by the row of outcomes and the attempts."""
    if pending:
        return LinkState.PENDING, None, outcome
    if outcome is not None and outcome.kind == OutcomeKind.DEAD:
        return LinkState.DEAD, outcome, None
    if outcome is not None and outcome.kind != OutcomeKind.NOT_MODIFIED:
        return LinkState.DONE, outcome, None
    if attempts and attempts[-1].kind == OutcomeKind.NOT_MODIFIED:
        last = attempts[-1]
        visit = Visit(last.kind, last.number, last.http_status, last.reason, None, last.at, last.elapsed, 0)
        return LinkState.DONE, visit, outcome
    return LinkState.DONE, outcome, None


def validators_of(
    outcome: Visit | None, etag: str | None, last_modified: str | None
) -> tuple[str | None, str | None]:
    """Those of the copy that the store holds."""
    return (etag, last_modified) if outcome is not None and outcome.kind in _WITH_VALIDATORS else (None, None)


def outcome_of(link: LinkCopy) -> Visit | None:
    """The row of outcomes."""
    if link.visit is None or link.visit.kind != OutcomeKind.NOT_MODIFIED or link.kept is None:
        return link.visit or link.kept
    kept = link.kept
    return Visit(
        link.visit.kind,
        kept.attempt,
        kept.http_status,
        kept.reason,
        kept.final_url,
        kept.fetched_at,
        kept.elapsed,
        kept.size,
    )


def record_visit(link: LinkCopy) -> Visit | None:
    """The visit that brought the record, where there is one."""
    if link.record is None:
        return None
    if link.visit is not None and link.visit.kind != OutcomeKind.NOT_MODIFIED:
        return link.visit
    return link.kept


def tries_of_round(link: LinkCopy) -> tuple[Attempt, ...]:
    """Those attempts that belong to the latest round over the crawl and are kept as such."""
    number = link.attempts_made
    if link.visit is not None:
        number = link.visit.attempt - (0 if link.visit.kind in _KEPT_AS_ATTEMPTS else 1)
    return link.attempts[-number:] if number > 0 else ()
