"""What must be of today when the measurement begins: heartbeats, and samples for charts."""

import asyncio
import time
from contextlib import suppress

import asyncpg

from benchmarks.dashboard.sizes import CHARTED_NODES, Landmarks
from crawlmesh.model.sample import CLUSTER_SERIES, KEEP, task_series

_HEARTBEAT_INTERVAL = 30.0  # seconds
_HISTORY = 2 * 86_400.0  # seconds, as heartbeats are kept

_HEARTBEATS = """
INSERT INTO node_heartbeats (node_id, at, usage, load, active_tasks)
SELECT node.id, at, node.usage, 0.4, '["task"]'
FROM generate_series($1::float8::bigint, $2::float8::bigint, $3::float8::bigint) AS at
CROSS JOIN (SELECT id, usage FROM crawler_nodes WHERE status = 'online' ORDER BY id LIMIT $4) AS node
"""
_SAMPLES = """
INSERT INTO samples (series, step, at, seconds, means)
SELECT $1, $2, at, $2, $3 FROM generate_series($4::bigint, $5::bigint, $2::bigint) AS at
ON CONFLICT DO NOTHING
"""
_MEANS = (
    '{"pages":1200.5,"bytes":48000000,"errors":3.5,"queued":200000,"running":9000,"pending":5000,'
    '"nodes.online":9000,"nodes.offline":500,"done":1000000,"dead":5000,"records":1000000}'
)
_ALL_HEARD = """
UPDATE crawler_nodes SET last_heartbeat = $1, health_timestamp = $1 WHERE status = 'online';
"""
_HEARD = "UPDATE crawler_nodes SET last_heartbeat = $1 WHERE id = ANY($2)"


async def freshen(connection: asyncpg.Connection, landmarks: Landmarks) -> None:
    now = time.time()
    await connection.execute("TRUNCATE node_heartbeats; TRUNCATE samples")
    await connection.execute(_HEARTBEATS, now - _HISTORY, now, _HEARTBEAT_INTERVAL, CHARTED_NODES)
    for series in (CLUSTER_SERIES, task_series(landmarks.crawl)):
        for step, kept in KEEP.items():
            end = int(now) // step * step
            await connection.execute(_SAMPLES, series, step, _MEANS, end - int(kept), end)
    await connection.execute(_ALL_HEARD.replace("$1", repr(now)))
    await connection.execute("VACUUM (ANALYZE) node_heartbeats, samples, crawler_nodes")


async def keep_nodes_alive(address: str) -> None:
    """Every node is heard of every 30 seconds, some in each second, until this is cancelled."""
    connection = await asyncpg.connect(address)
    try:
        rows = await connection.fetch("SELECT id FROM crawler_nodes WHERE status = 'online' ORDER BY id")
        ids = [row[0] for row in rows]
        turns = int(_HEARTBEAT_INTERVAL)
        turn = 0
        while True:
            with suppress(asyncpg.DeadlockDetectedError):  # the health checks write the same rows: next turn
                await connection.execute(_HEARD, time.time(), ids[turn::turns])
            turn = (turn + 1) % turns
            await asyncio.sleep(1.0)
    finally:
        await connection.close()
