"""A PostgreSQL server for tests."""

import os
import pwd
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from crawlmesh.testing.servers.owned_server import OwnedServer
from crawlmesh.testing.servers.requirements import require_postgres
from crawlmesh.testing.servers.server_process import command_as

_UNSAFE_AND_FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
_SETTINGS = {"max_connections": "100", "shared_buffers": "64MB", "logging_collector": "off"}


class PostgresServer(OwnedServer):
    """Its databases are kept over `stop` and `kill`; what was not committed is not."""

    name = "PostgreSQL"
    ready = "database system is ready to accept connections"
    port_taken = "could not bind"
    end_signal = signal.SIGINT  # clients are cut off

    def __init__(
        self,
        programs: Path | None = None,
        *,
        fsync: bool = True,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        """`programs`: the folder of its binaries. Without `fsync` it is faster, and a crash may cost data."""
        self._programs = programs or require_postgres()
        self._settings = {**_SETTINGS, **({} if fsync else _UNSAFE_AND_FAST), **(settings or {})}
        self._user = _server_user()
        super().__init__("pg-")
        self._data = self.folder / "data"

    def dsn(self, database: str = "postgres") -> str:
        """The address of a database over TCP."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def socket_dsn(self, database: str = "postgres") -> str:
        """The address of a database over the unix socket."""
        return f"postgresql://postgres@/{database}?host={self.folder}&port={self.port}"

    def close(self) -> None:
        """In order, because it leaves shared memory behind otherwise."""
        self.stop()
        super().close()

    def _prepare(self, *, again: bool) -> None:
        del again
        if self._data.exists():
            return
        if self._user:
            account = pwd.getpwnam(self._user)
            os.chown(self.folder, account.pw_uid, account.pw_gid)
        program = [str(self._programs / "initdb"), "-D", str(self._data), "-U", "postgres", "--auth=trust"]
        program += ["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C"]
        done = subprocess.run(
            command_as(self._user, program),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=self.deadline,
        )
        if done.returncode != 0:
            raise RuntimeError(f"initdb failed:\n{done.stdout}{done.stderr}")

    def _command(self) -> list[str]:
        settings = self._settings | {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self.folder),
        }
        program = [str(self._programs / "postgres"), "-D", str(self._data)]
        for name, value in settings.items():
            program += ["-c", f"{name}={value}"]
        return command_as(self._user, program)


def _server_user() -> str:
    """PostgreSQL refuses to run as root: as whom it runs, "" for whoever runs the tests."""
    if os.geteuid() != 0:
        return ""
    names = {account.pw_name for account in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
