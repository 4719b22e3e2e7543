"""Stores that live in the process's memory: for tests, and as the reference reading of their ports.

Imported by tests and by the wiring; imports only `crawlmesh.ports`, `crawlmesh.model` and errors.
"""

from crawlmesh.adapters.memory.control_store import MemoryControlStore
from crawlmesh.adapters.memory.crawl_store import MemoryCrawlStore

__all__ = ["MemoryControlStore", "MemoryCrawlStore"]
