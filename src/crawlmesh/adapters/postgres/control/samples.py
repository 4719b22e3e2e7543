"""Samples, and means over heartbeats."""

from collections.abc import Sequence

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.columns import document
from crawlmesh.adapters.postgres.control.leading import check_leader
from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.tables import SAMPLES
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.model.sample import READINGS, Sample, node_sample

_KEEP = f"""
{SAMPLES.insert}
ON CONFLICT (series, step, at) DO UPDATE SET seconds = excluded.seconds, means = excluded.means
"""
_READ = f"""
SELECT {SAMPLES.names} FROM samples WHERE series = $1 AND step = $2 AND at >= $3 ORDER BY at LIMIT $4
"""  # noqa: S608
_MEANS = f"""
SELECT floor(at / $2) * $2, {", ".join(f"avg(told.{name})" for name in READINGS.values())},
    avg(load), avg(json_array_length(active_tasks))::float8
FROM node_heartbeats
CROSS JOIN LATERAL json_to_record(usage) AS told ({", ".join(f"{name} float8" for name in READINGS.values())})
WHERE node_id = $1 AND at >= $3 GROUP BY 1 ORDER BY 1 LIMIT $4
"""  # noqa: S608


class Samples(Part):
    """The part of the store that keeps numbers over time."""

    async def keep_samples(
        self, samples: Sequence[Sample], *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """Add or replace samples."""
        latest = {(sample.series, sample.step, sample.at): sample for sample in samples}

        async def work(transaction: Transaction) -> None:
            await check_leader(transaction, leader_fence, now)
            await transaction.connection.execute(_KEEP, document(latest.values()))

        await self._database.write(work)

    async def samples(self, series: str, step: int, since: float, limit: int) -> list[Sample]:
        """Samples of a series from a moment on, oldest first."""
        return list(map(tables.sample, await self._fetch(_READ, series, step, since, limit)))

    async def heartbeat_means(self, node_id: str, step: int, since: float, limit: int) -> list[Sample]:
        """What a node told from a moment on, as means over steps."""
        rows = await self._fetch(_MEANS, node_id, float(step), since, limit)
        return [node_sample(node_id, step, at, means) for at, *means in rows]
