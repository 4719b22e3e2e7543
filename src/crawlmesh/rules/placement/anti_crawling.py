"""The node that can get past most of the target's defences."""

from crawlmesh.model.node import Node
from crawlmesh.model.task import Task
from crawlmesh.rules.compatibility import defences_of
from crawlmesh.rules.placement.base import Order, Pick, Pool


def bypassed(task: Task, node: Node) -> list[str]:
    """The defences of the target that the node has a way around."""
    offered = node.capabilities.get("anti_crawling_bypass", ())
    ways = (
        {offered}
        if isinstance(offered, str)
        else set(offered)
        if isinstance(offered, list | tuple)
        else set()
    )
    return [defence for defence in defences_of(task) if defence in ways]


def _fewest_left(task: Task, node: Node) -> float:
    return -float(len(bypassed(task, node)))


class AntiCrawling:
    """Most matches of `anti_crawling_bypass` first; of equal ones the least loaded."""

    name = "anti_crawling"

    def pick(self, task: Task, pool: Pool) -> Pick | None:
        """The best equipped node."""
        best = pool.best(Order.LOAD, _fewest_left)
        if best is None:
            return None
        defences, ways = defences_of(task), bypassed(task, best.node)
        if not defences:
            return Pick(best, f"no defences are known, so least loaded of {pool.fitting}: {best.describe()}")
        matches = f"{len(ways)} of {len(defences)} defences" + (f" ({', '.join(ways)})" if ways else "")
        return Pick(best, f"gets past {matches}, most of {pool.fitting} fitting nodes; {best.describe()}")
