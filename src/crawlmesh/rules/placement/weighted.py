"""Work in proportion to the weights that nodes registered with."""

from crawlmesh.model.task import Task
from crawlmesh.rules.placement.base import Order, Pick, Pool


class Weighted:
    """The node with the fewest running tasks for each unit of its weight."""

    name = "weighted"

    def pick(self, _task: Task, pool: Pool) -> Pick | None:
        """The node that is furthest below its share."""
        best = pool.best(Order.SHARE)
        if best is None:
            return None
        why = f"furthest below its share of {pool.fitting} fitting nodes: weight {best.node.weight:g}"
        return Pick(best, f"{why}, {best.describe()}")
