"""A Redis or Valkey server for tests, and a cluster of them."""

import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from redis import Redis

from crawlmesh.testing.servers.redis_programs import require_redis
from crawlmesh.testing.servers.server_process import ServerProcess, command_as

__all__ = ["RedisCluster", "RedisServer", "require_redis"]

_DEADLINE = 60.0  # seconds for a start or a stop
_READY = "eady to accept connections"
_PORT_TAKEN = "bind"
_SLOTS = 16_384
_PAUSE = 0.02  # seconds
_HIGHEST_PORT = 55_535
_DURABLE = {"appendonly": "yes", "appendfsync": "always"}
_FORGETFUL = {"appendonly": "no"}


class RedisServer:
    """Starts in a temporary folder of its own; `with` starts it and leaves nothing behind.

    The port stays the same over `restart`, so that clients find it again. What a durable server answered is
    on disk: `stop` and `kill` keep it for the next `start`. All is lost with `close`.
    """

    def __init__(
        self, program: Path | None = None, *, durable: bool = True, settings: Mapping[str, str] | None = None
    ) -> None:
        """`program`: the server's binary. `settings`: as in its configuration file."""
        self._program = program or require_redis()
        self._settings = {"save": "", **(_DURABLE if durable else _FORGETFUL), **(settings or {})}
        self._process: ServerProcess | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="redis-", dir="/tmp"))  # a socket's path must be short
        self.port = 0

    @property
    def pid(self) -> int | None:
        """The process id of the server, where it runs."""
        return self._process.pid if self._process and self._process.alive else None

    @property
    def log(self) -> list[str]:
        """The last lines that the server wrote."""
        return list(self._process.log) if self._process else []

    def address(self, database: int = 0) -> str:
        """The address over TCP."""
        password = self._settings.get("requirepass")
        return f"redis://{f':{password}@' if password else ''}127.0.0.1:{self.port}/{database}"

    def socket_address(self) -> str:
        """The address over the unix socket."""
        return f"redis+unix://{self._folder / 'redis.sock'}"

    def client(self) -> "Redis":
        """A client of the test's own, to be closed by it."""
        return Redis(port=self.port, password=self._settings.get("requirepass"), socket_timeout=_DEADLINE)

    def command(self, *words: Any) -> Any:
        """What the server answers to a command."""
        with self.client() as client:
            return client.execute_command(*words)

    def start(self) -> None:
        """Start, and wait until connections are accepted. Nothing happens where it runs."""
        if self._process is not None and self._process.alive:
            return
        fixed = self.port != 0
        for _ in range(1 if fixed else 5):  # another process may take the port before the server does
            self.port = self.port if fixed else _free_port()
            self._process = ServerProcess(self._command(), self._folder, _READY)
            if self._process.wait_ready(_DEADLINE):
                return
            self.kill()
            if not any(_PORT_TAKEN in line for line in self.log):
                break
        raise RuntimeError("Redis did not start:\n" + "\n".join(self.log))

    def stop(self) -> None:
        """Shut down in order; clients are cut off. Twice is fine."""
        process = self._process
        if process is None or not process.alive:
            return
        process.send(signal.SIGTERM)
        if not process.wait_ended(_DEADLINE):
            self.kill()

    def kill(self) -> None:
        """SIGKILL: what it did not write to disk is lost."""
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

    def close(self) -> None:
        """Stop and remove the folder. Twice is fine."""
        self.kill()
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

    def _command(self) -> list[str]:
        settings = self._settings | {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(self._folder),
            "unixsocket": str(self._folder / "redis.sock"),
            "logfile": "/dev/stderr",
        }
        program = [str(self._program)]
        for name, value in settings.items():
            program += [f"--{name}", value]
        return command_as("", program, signal.SIGTERM)


class RedisCluster:
    """Servers that share the slots of a cluster evenly, without replicas."""

    def __init__(self, program: Path | None = None, *, nodes: int = 3, durable: bool = True) -> None:
        settings = {"cluster-enabled": "yes", "cluster-config-file": "nodes.conf"}
        self._closing = ExitStack()
        self.servers = [RedisServer(program, durable=durable, settings=settings) for _ in range(nodes)]

    def address(self, partitions: int | None = None) -> str:
        """The address of the cluster, by its first node."""
        query = f"?partitions={partitions}" if partitions else ""
        return f"redis+cluster://127.0.0.1:{self.servers[0].port}{query}"

    def command(self, *words: Any) -> None:
        """A command on every node."""
        for server in self.servers:
            server.command(*words)

    def __enter__(self) -> Self:
        try:
            for server in self.servers:
                self._closing.enter_context(server)
            self._join()
        except BaseException:
            self._closing.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def _join(self) -> None:
        share = _SLOTS // len(self.servers) + 1
        for number, server in enumerate(self.servers):
            slots = range(number * share, min(_SLOTS, (number + 1) * share))
            server.command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            server.command("CLUSTER", "ADDSLOTSRANGE", slots[0], slots[-1])
            server.command("CLUSTER", "MEET", "127.0.0.1", self.servers[0].port)
        for server in self.servers:
            self._wait_until_joined(server)

    def _wait_until_joined(self, server: RedisServer) -> None:
        """A node tells nobody when it has met all others: one has to ask."""
        with server.client() as client:
            for _ in range(int(_DEADLINE / _PAUSE)):
                state = client.execute_command("CLUSTER", "INFO")
                nodes = client.execute_command("CLUSTER", "NODES")
                if b"cluster_state:ok" in state and len(nodes.splitlines()) == len(self.servers):
                    return
                time.sleep(_PAUSE)
        raise RuntimeError("The Redis cluster did not come together:\n" + "\n".join(server.log))


def _free_port() -> int:
    """One to which 10,000 can be added: there the nodes of a cluster talk to one another."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        if port <= _HIGHEST_PORT:
            return port
