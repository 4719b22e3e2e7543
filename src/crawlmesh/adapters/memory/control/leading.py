"""Who leads."""

import msgspec

from crawlmesh.errors import NotLeaderError
from crawlmesh.model.change import Leadership


class LeaderSeat:
    """The one seat of the leader."""

    def __init__(self) -> None:
        self.taken: Leadership | None = None

    def take(self, holder: str, duration: float, now: float) -> Leadership | None:
        """Take or renew the lead; None while somebody else has it."""
        last = self.taken or Leadership("", 0, float("-inf"))
        leads = now < last.expires_at
        if leads and last.holder != holder:
            return None
        self.taken = Leadership(holder, last.fence + (not leads), now + duration)
        return self.taken

    def leave(self, holder: str) -> None:
        """Give up the lead where this one has it."""
        if self.taken is not None and self.taken.holder == holder:
            self.taken = msgspec.structs.replace(self.taken, expires_at=0.0)

    def check(self, fence: int | None, now: float) -> None:
        """Raise NotLeaderError unless this fence is None or that of the one who leads."""
        if fence is None:
            return
        if self.taken is None or self.taken.fence != fence or self.taken.expires_at <= now:
            raise NotLeaderError(f"The lead with the fence {fence} has ended; nothing was changed.")
