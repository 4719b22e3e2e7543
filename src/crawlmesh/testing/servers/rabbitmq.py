"""A RabbitMQ server for tests."""

import asyncio
import shutil
import signal
import socket
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from crawlmesh.testing.servers.rabbitmq_programs import RabbitPrograms, require_rabbitmq
from crawlmesh.testing.servers.server_process import ServerProcess, command_as

_DEADLINE = 120.0  # seconds for a start or a stop
_READY = "Server startup complete"
_PORT_TAKEN = "eaddrinuse"
_PASSWORD = "p@ss/word"  # needs quoting in an address
_CONFIGURATION = """
listeners.tcp.1 = 127.0.0.1:{port}
default_user = crawlmesh
default_pass = {password}
disk_free_limit.absolute = 10MB
log.console.level = info
"""
# Two schedulers that do not spin while they wait: tests share their processors.
_ERLANG = "+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none"


class RabbitServer:
    """Starts in a temporary folder of its own, with an epmd of its own; `with` leaves nothing behind.

    The port stays the same over `restart`, so that clients find it again. All queues are lost with
    `close`; `stop` and `kill` keep what is durable for the next `start`.
    """

    def __init__(self, programs: RabbitPrograms | None = None) -> None:
        self._programs = programs or require_rabbitmq()
        self.folder = Path(tempfile.mkdtemp(prefix="rabbit-", dir="/tmp"))
        self._process: ServerProcess | None = None
        self._epmd: ServerProcess | None = None
        self._epmd_port = 0
        self.port = 0

    @property
    def pid(self) -> int | None:
        """The process id of the server, where it runs."""
        return self._process.pid if self._process and self._process.alive else None

    @property
    def log(self) -> list[str]:
        """The last lines that the server wrote."""
        return list(self._process.log) if self._process else []

    def address(self, password: str = _PASSWORD) -> str:
        """The address for clients."""
        return f"amqp://crawlmesh:{quote(password, safe='')}@127.0.0.1:{self.port}/"

    def start(self) -> None:
        """Start, and wait until connections are accepted. Nothing happens where it runs."""
        if self._process is not None and self._process.alive:
            return
        self._start_epmd()
        fixed = self.port != 0
        for _ in range(1 if fixed else 5):  # another process may take the port before the server does
            self.port = self.port if fixed else _free_port()
            text = _CONFIGURATION.format(port=self.port, password=_PASSWORD)
            (self.folder / "rabbitmq.conf").write_text(text)
            self._process = ServerProcess(self._command(), self.folder, _READY)
            if self._process.wait_ready(_DEADLINE):
                return
            self.kill()
            if not any(_PORT_TAKEN in line for line in self.log):
                break
        raise RuntimeError("RabbitMQ did not start:\n" + "\n".join(self.log))

    def stop(self) -> None:
        """Shut down in order; clients are told. Twice is fine."""
        if self._process is not None and self._process.alive:
            self._process.send(signal.SIGTERM)
            if not self._process.wait_ended(_DEADLINE):
                self.kill()

    def kill(self) -> None:
        """SIGKILL for the server and all its children: what was not confirmed may be lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait_ended(_DEADLINE)

    def restart(self) -> None:
        """Stop, and start on the same port."""
        self.stop()
        self.start()

    def freeze(self) -> None:
        """Stop answering without closing a connection, as behind a cable that was pulled."""
        if self._process is not None:
            self._process.signal_all(signal.SIGSTOP)

    def thaw(self) -> None:
        """Go on after `freeze`."""
        if self._process is not None:
            self._process.signal_all(signal.SIGCONT)

    async def kill_in_thread(self) -> None:
        """As `kill`, while the event loop goes on."""
        await asyncio.to_thread(self.kill)

    async def start_in_thread(self) -> None:
        """As `start`, while the event loop goes on."""
        await asyncio.to_thread(self.start)

    def close(self) -> None:
        """Stop everything and remove the folder. Nothing of it is worth an orderly end. Twice is fine."""
        self.kill()
        if self._epmd is not None:
            self._epmd.kill()
            self._epmd.wait_ended(_DEADLINE)
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

    def _start_epmd(self) -> None:
        """Erlang would start one as a daemon that outlives everything."""
        if self._epmd is not None and self._epmd.alive:
            return
        for _ in range(5):
            self._epmd_port = _free_port()
            program = [str(self._programs.epmd), "-d", "-port", str(self._epmd_port), "-address", "127.0.0.1"]
            self._epmd = ServerProcess(command_as("", program), self.folder, "epmd running")
            if self._epmd.wait_ready(_DEADLINE):
                return
            self._epmd.kill()
        raise RuntimeError("epmd did not start:\n" + "\n".join(self._epmd.log if self._epmd else []))

    def _command(self) -> list[str]:
        folder = str(self.folder)
        environment = {
            "PATH": self._programs.path,
            "HOME": folder,  # the cookie lies here
            "LANG": "C.UTF-8",
            "ERL_EPMD_PORT": str(self._epmd_port),
            "RABBITMQ_NODENAME": f"{self.folder.name}@localhost",
            "RABBITMQ_DIST_PORT": str(_free_port()),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": f"{folder}/rabbitmq.conf",
            "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/enabled_plugins",
            "RABBITMQ_MNESIA_BASE": f"{folder}/data",
            "RABBITMQ_LOG_BASE": f"{folder}/log",
            "RABBITMQ_LOGS": "-stderr",
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": _ERLANG,
            "RUNNING_UNDER_SYSTEMD": "true",  # become the server, rather than the parent of it
        }
        settings = [f"{name}={value}" for name, value in environment.items()]
        return command_as("", ["/usr/bin/env", "-i", *settings, str(self._programs.server)])


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
