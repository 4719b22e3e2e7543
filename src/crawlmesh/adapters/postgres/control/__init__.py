"""The control store in PostgreSQL, which several masters share.

Chosen by `crawlmesh.wiring`; imports ports, model, migrations and what all adapters share.
"""

from crawlmesh.adapters.postgres.control.control_store import PostgresControlStore

__all__ = ["PostgresControlStore"]
