"""The lead: the right to write what only one master may, for as long as its lease lasts."""

from crawlmesh.errors import NotLeaderError
from crawlmesh.ports.clock import Clock


class Lead:
    """One term of one leader. It ends when the lease was not renewed in time, by this process's own clock.

    That is a margin of safety for a process that was paused; what really keeps a former leader from
    writing is the store, which compares the fence in the same transaction.
    """

    def __init__(
        self, clock: Clock, fence: int, until: float, listening_since: float = float("-inf")
    ) -> None:
        self._clock = clock
        self._fence = fence
        self._until = until  # monotonic seconds
        self._listening_since = listening_since  # Unix time

    @property
    def listening_since(self) -> float:
        """Since when this master has been there without a break: earlier silence says nothing of nodes."""
        return self._listening_since

    def fence(self) -> int:
        """The fence to write under. Raises NotLeaderError where the lease ran out."""
        if not self.holds:
            raise NotLeaderError("This master was away for longer than its lease; another may lead by now.")
        return self._fence

    @property
    def holds(self) -> bool:
        """Whether the lease has not run out."""
        return self._clock.monotonic() < self._until

    def is_of(self, fence: int) -> bool:
        """Whether this term has the fence, and has not been given up."""
        return self._fence == fence and self.holds

    def renew(self, until: float) -> None:
        """The store gave more time; `until` is in monotonic seconds, counted from before it was asked."""
        self._until = until

    def give_up(self) -> None:
        """Nothing more is written under this lead."""
        self._until = float("-inf")
