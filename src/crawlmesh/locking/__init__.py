"""Locks that hold over processes and machines.

Offered as `crawlmesh.DistributedLock` and `crawlmesh.open_locks`; imports ports and errors.
"""

from crawlmesh.locking.distributed_lock import DistributedLock, HeldLock

__all__ = ["DistributedLock", "HeldLock"]
