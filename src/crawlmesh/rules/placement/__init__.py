"""Which node a task is put on: one strategy per file, and the index of nodes that they ask.

`fleet.Fleet` is the door. It groups nodes into classes (`node_class`) that are the same to every task, keeps
for each queue of tasks the classes that fit (`queue_pool`), and asks a strategy. Imported by the scheduler
and by strategies of users; imports the model and `rules.compatibility` only.
"""

from crawlmesh.rules.placement.anti_crawling import AntiCrawling
from crawlmesh.rules.placement.base import Strategy
from crawlmesh.rules.placement.content_based import ContentBased
from crawlmesh.rules.placement.geo_location import GeoLocation
from crawlmesh.rules.placement.least_loaded import LeastLoaded
from crawlmesh.rules.placement.random_choice import RandomChoice
from crawlmesh.rules.placement.round_robin import RoundRobin
from crawlmesh.rules.placement.weighted import Weighted

__all__ = ["ALIASES", "builtin_strategies"]

ALIASES = {"least_tasks": "least_loaded"}  # the name in S4 → ours


def builtin_strategies() -> dict[str, Strategy]:
    """The strategies that come with Crawlmesh, by every name that a task may ask for."""
    every: list[Strategy] = [
        LeastLoaded(),
        RoundRobin(),
        Weighted(),
        RandomChoice(),
        GeoLocation(),
        ContentBased(),
        AntiCrawling(),
    ]
    by_name = {strategy.name: strategy for strategy in every}
    return by_name | {alias: by_name[name] for alias, name in ALIASES.items()}
