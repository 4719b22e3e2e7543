"""What all servers for tests have in common: their life, from the start to the last file removed."""

import shutil
import signal
import socket
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from crawlmesh.testing.servers.server_process import ServerProcess

_MOST_PORTS = 5  # that are tried: another process may take one before the server does


class OwnedServer(ABC):
    """Lives in a temporary folder of its own; `with` starts it and leaves nothing behind.

    The port stays the same over `restart`, so that clients find it again. `stop` and `kill` keep what is
    durable for the next `start`; all is lost with `close`.
    """

    name: ClassVar[str]  # for people
    ready: ClassVar[str]  # what a line of its log says once it takes connections
    port_taken: ClassVar[str]  # what one says where another process has the port
    deadline: ClassVar[float] = 60.0  # seconds for a start or a stop
    end_signal: ClassVar[signal.Signals] = signal.SIGTERM

    def __init__(self, prefix: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))  # a socket's path must be short
        self._process: ServerProcess | None = None
        self.port = 0

    @property
    def pid(self) -> int | None:
        """The process id of the server, where it runs."""
        return self._process.pid if self._process and self._process.alive else None

    @property
    def log(self) -> list[str]:
        """The last lines that the server wrote."""
        return list(self._process.log) if self._process else []

    def start(self) -> None:
        """Start, and wait until connections are accepted. Nothing happens where it runs."""
        if self._process is not None and self._process.alive:
            return
        fixed = self.port != 0
        for _ in range(1 if fixed else _MOST_PORTS):
            if not fixed:
                self.port = self._choose_port()
            self._prepare(again=fixed)
            self._process = ServerProcess(self._command(), self.folder, self.ready)
            if self._process.wait_ready(self.deadline):
                return
            self.kill()
            if not any(self.port_taken in line for line in self.log):
                break
        raise RuntimeError(f"{self.name} did not start:\n" + "\n".join(self.log))

    def stop(self) -> None:
        """Shut down in order. Twice is fine."""
        process = self._process
        if process is None or not process.alive:
            return
        self.thaw()
        process.send(self.end_signal)
        if not process.wait_ended(self.deadline):
            self.kill()

    def kill(self) -> None:
        """SIGKILL for the server and all its children."""
        if self._process is not None:
            self._process.kill()
            self._process.wait_ended(self.deadline)

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
        """End it and remove the folder: nothing of it is worth an orderly end. Twice is fine."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

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

    @abstractmethod
    def _command(self) -> list[str]:
        """What runs the server."""

    def _prepare(self, *, again: bool) -> None:
        """Lay what the server needs in its folder. `again`: it ran on this port before."""
        del again

    def _choose_port(self) -> int:
        return free_port()

    def _signal_all(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.signal_all(number)


def free_port() -> int:
    """One on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
