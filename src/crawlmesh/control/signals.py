"""What use cases tell the scheduler of the same process without a detour over the store."""

from collections import Counter


class Signals:
    """Places that became free since the scheduler last asked. Kept only while somebody listens.

    This is a short cut: what other masters free, and what is told in an unlucky moment, is seen when
    `crawlmesh.control.fleet_view.FleetView` reads the loads again.
    """

    def __init__(self) -> None:
        self.listening = False
        self._freed: Counter[str] = Counter()

    def freed(self, node_id: str) -> None:
        """An execution on this node ended, and the store knows it."""
        if self.listening:
            self._freed[node_id] += 1

    def take(self) -> Counter[str]:
        """How many places became free on which node since the last call."""
        freed, self._freed = self._freed, Counter()
        return freed
