"""Any node that has a free place."""

from crawlmesh.model.task import Task
from crawlmesh.rules.placement.base import Pick, Pool


class RandomChoice:
    """Every free node is as likely as the others."""

    name = "random"

    def pick(self, _task: Task, pool: Pool) -> Pick | None:
        """One at random."""
        one = pool.any_one()
        if one is None:
            return None
        return Pick(one, f"chosen at random from {pool.fitting} fitting nodes: {one.describe()}")
