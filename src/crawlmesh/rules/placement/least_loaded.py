"""The node with the smallest share of its places taken, then with the lowest load."""

from crawlmesh.model.task import Task
from crawlmesh.rules.placement.base import Order, Pick, Pool


class LeastLoaded:
    """The default."""

    name = "least_loaded"

    def pick(self, _task: Task, pool: Pool) -> Pick | None:
        """The least loaded node."""
        best = pool.best(Order.LOAD)
        if best is None:
            return None
        return Pick(best, f"least loaded of {pool.fitting} fitting nodes: {best.describe()}")
