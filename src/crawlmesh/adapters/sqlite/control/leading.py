"""Who leads."""

from crawlmesh.adapters.sqlite.control.session import Session
from crawlmesh.errors import NotLeaderError
from crawlmesh.model.change import Leadership

READ_LEADER = "SELECT holder, fence, expires_at FROM leadership WHERE one = 1"

_TAKE_LEAD = """
INSERT INTO leadership (one, holder, fence, expires_at) VALUES (1, ?, ?, ?)
ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, fence = excluded.fence,
    expires_at = excluded.expires_at
"""


def check_leader(session: Session, fence: int | None, now: float) -> None:
    """Raise NotLeaderError unless the fence is None or that of the one who leads."""
    if fence is None:
        return
    leads = session.one("SELECT 1 FROM leadership WHERE one = 1 AND fence = ? AND expires_at > ?", fence, now)
    if leads is None:
        raise NotLeaderError(f"The lead with the fence {fence} has ended; nothing was changed.")


def lead(session: Session, holder: str, duration: float, now: float) -> Leadership | None:
    """Take or renew the lead; None while somebody else has it."""
    row = session.connection.execute(READ_LEADER).fetchone()
    last_holder, fence, expires_at = row or ("", 0, float("-inf"))
    leads = now < expires_at
    if leads and last_holder != holder:
        return None
    taken = Leadership(holder, fence + (not leads), now + duration)
    session.run(_TAKE_LEAD, taken.holder, taken.fence, taken.expires_at)
    return taken


def resign(session: Session, holder: str) -> None:
    """Give up the lead where this one has it."""
    session.run("UPDATE leadership SET expires_at = 0 WHERE one = 1 AND holder = ?", holder)
