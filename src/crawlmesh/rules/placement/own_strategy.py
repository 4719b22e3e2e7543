"""Strategies of the user's own, made to look like the ones that come with Crawlmesh."""

from typing import Final

from crawlmesh.errors import SettingError
from crawlmesh.model.task import Task
from crawlmesh.rules.placement.base import OwnStrategy, Pick, Pool, PoolStrategy, Strategy

SAMPLE_SIZE: Final = 64  # nodes that it gets to see


class SampledStrategy:
    """Shows a strategy the least loaded nodes, and takes only one of them for an answer."""

    def __init__(self, own: OwnStrategy) -> None:
        self._own = own
        self.name = own.name

    def pick(self, task: Task, pool: Pool) -> Pick | None:
        """What the strategy chose."""
        candidates = pool.sample(SAMPLE_SIZE)
        chosen = self._own.choose(task, candidates, pool.context) if candidates else None
        if chosen is None or chosen not in candidates:
            return None
        return Pick(chosen, f"chosen by {self.name} from {len(candidates)} nodes: {chosen.describe()}")


def as_pool_strategy(strategy: Strategy) -> PoolStrategy:
    """A strategy of either kind as one that asks the pool."""
    if isinstance(strategy, PoolStrategy):
        return strategy
    if isinstance(strategy, OwnStrategy):
        return SampledStrategy(strategy)
    raise SettingError(
        f"The strategy {strategy.name} has no method `choose`. "
        "Give it one: choose(task, candidates, context) returns one of the candidates or None."
    )
