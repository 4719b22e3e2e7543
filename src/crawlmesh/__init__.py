"""Crawlmesh: crawls a site from one command, and the same over a fleet."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from crawlmesh.version import __version__

if TYPE_CHECKING:
    from crawlmesh.client import Client, NewTask
    from crawlmesh.locking import DistributedLock
    from crawlmesh.rules.consistent_hash import ConsistentHash
    from crawlmesh.wiring.locks import open_locks

__all__ = ["Client", "ConsistentHash", "DistributedLock", "NewTask", "__version__", "open_locks"]

# The client brings aiohttp, which crawls on this machine alone never need.
_PLACES = {
    "Client": "crawlmesh.client",
    "NewTask": "crawlmesh.client",
    "ConsistentHash": "crawlmesh.rules.consistent_hash",
    "DistributedLock": "crawlmesh.locking",
    "open_locks": "crawlmesh.wiring.locks",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
