"""Makes the databases of a large cluster, once for each folder."""

import time
from pathlib import Path

import asyncpg
import msgspec

from benchmarks.dashboard.control_rows import ControlRows
from benchmarks.dashboard.crawl_rows import CrawlRows
from benchmarks.dashboard.kept_postgres import LOADING, KeptPostgres
from benchmarks.dashboard.loading import told
from benchmarks.dashboard.sizes import Landmarks, Sizes
from crawlmesh.migrations import upgrade

_LANDMARKS = "landmarks.json"


async def built(folder: Path, sizes: Sizes) -> Landmarks:
    """Ids of what is in the database, which is made unless the folder has one of these sizes."""
    path = folder / _LANDMARKS
    if path.exists():
        found = msgspec.json.decode(path.read_bytes(), type=Landmarks)
        if (found.tasks, found.nodes, found.records) != (sizes.tasks, sizes.nodes, sizes.records):
            raise SystemExit(f"{folder} has a database of other sizes: name another folder, or remove it.")
        with KeptPostgres(folder, LOADING, fsync=False) as server:
            await upgrade(server.dsn())  # it may have been made by an older version
        return found
    print("Making the database:", flush=True)
    with KeptPostgres(folder, LOADING, fsync=False) as server:
        landmarks = await _load(server.dsn(), sizes)
        path.write_bytes(msgspec.json.encode(landmarks))
    return landmarks


async def _load(address: str, sizes: Sizes) -> Landmarks:
    now = time.time()
    await upgrade(address)
    rows = ControlRows(sizes, now)
    connection = await asyncpg.connect(address)
    try:
        await rows.load(connection)
        await CrawlRows(sizes, rows.crawls, now).load(address)
        with told("vacuum and statistics"):
            await connection.execute("VACUUM (ANALYZE)")
    finally:
        await connection.close()
    landmarks = rows.landmarks
    landmarks.tasks, landmarks.nodes, landmarks.records = sizes.tasks, sizes.nodes, sizes.records
    return landmarks
