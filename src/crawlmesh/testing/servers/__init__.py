"""Servers that tests start for themselves, each in a folder and on a port of its own.

Imported by tests; imports nothing of the product. `fixtures` has what pytest needs.
"""

from crawlmesh.testing.servers.postgres import PostgresServer
from crawlmesh.testing.servers.requirements import require_postgres

__all__ = ["PostgresServer", "require_postgres"]
