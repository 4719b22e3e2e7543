"""A PostgreSQL server for tests."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from crawlmesh.testing.servers.requirements import require_postgres
from crawlmesh.testing.servers.server_process import ServerProcess, command_as

_DEADLINE = 60.0  # seconds for a start or a stop
_READY = "database system is ready to accept connections"
_PORT_TAKEN = "could not bind"
_UNSAFE_AND_FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"}
_SETTINGS = {"max_connections": "100", "shared_buffers": "64MB", "logging_collector": "off"}


class PostgresServer:
    """Starts in a temporary folder of its own; `with` starts it and leaves nothing behind.

    The port stays the same over `restart`, so that clients find it again. All databases are lost
    with `close`; `stop` and `kill` keep them for the next `start`.
    """

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
        self._process: ServerProcess | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))  # a socket's path must be short
        self._data = self._folder / "data"
        self.port = 0

    @property
    def pid(self) -> int | None:
        """The process id of the server, where it runs."""
        return self._process.pid if self._process and self._process.alive else None

    @property
    def log(self) -> list[str]:
        """The last lines that the server wrote."""
        return list(self._process.log) if self._process else []

    def dsn(self, database: str = "postgres") -> str:
        """The address of a database over TCP."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    def socket_dsn(self, database: str = "postgres") -> str:
        """The address of a database over the unix socket."""
        return f"postgresql://postgres@/{database}?host={self._folder}&port={self.port}"

    def start(self) -> None:
        """Start, and wait until connections are accepted. Nothing happens where it runs."""
        if self._process is not None and self._process.alive:
            return
        if not self._data.exists():
            self._lay_folder()
        fixed = self.port != 0
        for _ in range(1 if fixed else 5):  # another process may take the port before the server does
            self.port = self.port if fixed else _free_port()
            self._process = ServerProcess(self._command(), self._folder, _READY)
            if self._process.wait_ready(_DEADLINE):
                return
            self.kill()
            if not any(_PORT_TAKEN in line for line in self.log):
                break
        raise RuntimeError("PostgreSQL did not start:\n" + "\n".join(self.log))

    def stop(self) -> None:
        """Shut down in order; clients are cut off. Twice is fine."""
        self._end(signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL for the server and all its children: what was not committed is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait_ended(_DEADLINE)

    def restart(self) -> None:
        """Stop, and start on the same port."""
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Stop answering without closing a connection, as behind a cable that was pulled."""
        self._signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Go on after `freeze`."""
        self._signal_all(signal.SIGCONT)

    def close(self) -> None:
        """Stop and remove the folder. Twice is fine."""
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _lay_folder(self) -> None:
        if self._user:
            account = pwd.getpwnam(self._user)
            os.chown(self._folder, account.pw_uid, account.pw_gid)
        program = [str(self._programs / "initdb"), "-D", str(self._data), "-U", "postgres", "--auth=trust"]
        program += ["--no-sync", "--no-instructions", "--encoding=UTF8", "--locale=C"]
        done = subprocess.run(
            command_as(self._user, program),
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=_DEADLINE,
        )
        if done.returncode != 0:
            raise RuntimeError(f"initdb failed:\n{done.stdout}{done.stderr}")

    def _command(self) -> list[str]:
        settings = self._settings | {
            "port": str(self.port),
            "listen_addresses": "127.0.0.1",
            "unix_socket_directories": str(self._folder),
        }
        program = [str(self._programs / "postgres"), "-D", str(self._data)]
        for name, value in settings.items():
            program += ["-c", f"{name}={value}"]
        return command_as(self._user, program)

    def _end(self, number: signal.Signals) -> None:
        process = self._process
        if process is None or not process.alive:
            return
        process.send(number)
        if not process.wait_ended(_DEADLINE):
            self.kill()

    def _signal_all(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.signal_all(number)


def _server_user() -> str:
    """PostgreSQL refuses to run as root: as whom it runs, "" for whoever runs the tests."""
    if os.geteuid() != 0:
        return ""
    names = {account.pw_name for account in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
