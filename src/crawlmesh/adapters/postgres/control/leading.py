"""Who leads."""

import asyncpg

from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import NotLeaderError, StoreError
from crawlmesh.model.change import Leadership

_TAKE = """
INSERT INTO leadership AS last (one, holder, fence, expires_at) VALUES (1, $1, 1, $2::float8 + $3::float8)
ON CONFLICT (one) DO UPDATE SET
    holder = excluded.holder,
    fence = last.fence + CASE WHEN last.expires_at > $2 THEN 0 ELSE 1 END,
    expires_at = excluded.expires_at
WHERE last.holder = excluded.holder OR last.expires_at <= $2
RETURNING holder, fence, expires_at
"""
_PATIENCE = "SET LOCAL lock_timeout = '2s'"

# A process that is stopped with a statement half sent holds its locks, and the server does not count it as
# idle in a transaction. Nobody else is inside a transaction for so long and waits for its client.
_FREE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND application_name LIKE 'crawlmesh%'
  AND xact_start < now() - make_interval(secs => $1) AND wait_event = 'ClientRead' AND pid <> pg_backend_pid()
"""
_READ = "SELECT holder, fence, expires_at FROM leadership"
_RESIGN = "UPDATE leadership SET expires_at = 0 WHERE holder = $1"

# The row stays as it is until the commit: nobody can take the lead while its holder still changes things.
_CHECK = "SELECT 1 FROM leadership WHERE fence = $1 AND expires_at > $2 FOR SHARE"


class Leading(Part):
    """The part of the store that knows the leader."""

    standstill = 5.0  # seconds inside a transaction after which a client that says nothing is cut off

    async def lead(self, holder: str, duration: float, now: float) -> Leadership | None:
        """Take or renew the lead for `duration` seconds. None while somebody else has it."""
        await self._fetch(_FREE, self.standstill)
        try:
            async with self._database.connection() as connection, connection.transaction():
                await connection.execute(_PATIENCE)
                rows = await connection.fetch(_TAKE, holder, now, duration)
        except StoreError as error:
            if isinstance(error.__cause__, asyncpg.LockNotAvailableError):
                raise StoreError("The leader is writing, or was stopped while it did; ask again.") from None
            raise
        return Leadership(*rows[0]) if rows else None

    async def leader(self) -> Leadership | None:
        """Who leads, or led last."""
        rows = await self._fetch(_READ)
        return Leadership(*rows[0]) if rows else None

    async def resign(self, holder: str) -> None:
        """Give up the lead, so that another may take it at once."""
        await self._fetch(_RESIGN, holder)


async def check_leader(transaction: Transaction, fence: int | None, now: float) -> None:
    """Raise NotLeaderError unless the fence is None or that of the one who leads, until the commit."""
    if fence is not None and await transaction.connection.fetchval(_CHECK, fence, now) is None:
        raise NotLeaderError(f"The lead with the fence {fence} has ended; nothing was changed.")
