"""The node nearest to the target's region."""

from typing import Final

from crawlmesh.model.node import Node
from crawlmesh.model.task import Task
from crawlmesh.rules.placement.base import Order, Pick, Pool

SAME_REGION: Final = 0.0
SAME_COUNTRY: Final = 1.0
ELSEWHERE: Final = 2.0

_WHERE: Final = {SAME_REGION: "in region", SAME_COUNTRY: "in the same country as", ELSEWHERE: "outside of"}
_COUNTRY_LETTERS = 2


def distance(task: Task, node: Node) -> float:
    """0 in the same region, 1 in the same country (the first two letters), 2 elsewhere."""
    if not task.target_region:
        return SAME_REGION
    there, here = task.target_region.lower(), node.region.lower()
    if here == there:
        return SAME_REGION
    return SAME_COUNTRY if here[:_COUNTRY_LETTERS] == there[:_COUNTRY_LETTERS] else ELSEWHERE


class GeoLocation:
    """The nearest node; of equally near ones the least loaded."""

    name = "geo_location"

    def pick(self, task: Task, pool: Pool) -> Pick | None:
        """The nearest node."""
        best = pool.best(Order.LOAD, distance)
        if best is None:
            return None
        if not task.target_region:
            return Pick(best, f"no target region, so least loaded of {pool.fitting}: {best.describe()}")
        where = f"{_WHERE[distance(task, best.node)]} {task.target_region}"
        return Pick(best, f"nearest of {pool.fitting} fitting nodes: {where}; {best.describe()}")
