"""One node after the other."""

from crawlmesh.model.task import Task
from crawlmesh.rules.placement.base import Order, Pick, Pool


class RoundRobin:
    """The node that got work longest ago; a full one is passed over."""

    name = "round_robin"

    def pick(self, _task: Task, pool: Pool) -> Pick | None:
        """The next in turn."""
        best = pool.best(Order.TURN)
        if best is None:
            return None
        return Pick(best, f"next in turn of {pool.fitting} fitting nodes: {best.describe()}")
