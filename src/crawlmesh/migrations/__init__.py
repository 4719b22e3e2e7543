"""The tables of the control store, for SQLite and PostgreSQL, as Alembic revisions in `versions/`.

Imported by the adapters that keep control data and by `crawlmesh.wiring`; imports only errors.
Alembic turns revisions into SQL and the drivers that the stores use run it, in one transaction: so a
revision is made of SQL statements and reads nothing.
"""

from crawlmesh.migrations.run import current, downgrade, upgrade

__all__ = ["current", "downgrade", "upgrade"]
