"""A PostgreSQL server whose data stay where they are told to stay."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from crawlmesh.testing.servers.postgres import PostgresServer

LOADING = {
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "16GB",
    "checkpoint_timeout": "1h",
    "maintenance_work_mem": "512MB",
    "autovacuum": "off",
}
# As a machine of this size would be set up: the defaults are for one with 256 MB.
MEASURING = {"effective_cache_size": "8GB"}
MEMORY = {"shared_buffers": "1GB"}


class KeptPostgres(PostgresServer):
    """Lives in a folder that outlives it."""

    def __init__(self, folder: Path, settings: Mapping[str, str], *, fsync: bool = True) -> None:
        super().__init__(fsync=fsync, settings={**MEMORY, **settings})
        shutil.rmtree(self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder.resolve()
        self._data = self.folder / "data"

    def close(self) -> None:
        """Stop it."""
        self.stop()
