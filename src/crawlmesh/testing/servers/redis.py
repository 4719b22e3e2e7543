"""A Redis or Valkey server for tests, and a cluster of them."""

import signal
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from redis import Redis

from crawlmesh.testing.servers.owned_server import OwnedServer, free_port
from crawlmesh.testing.servers.redis_programs import require_redis
from crawlmesh.testing.servers.server_process import command_as

__all__ = ["RedisCluster", "RedisServer", "require_redis"]

_DEADLINE = 60.0  # seconds for a start or a stop
_SLOTS = 16_384
_PAUSE = 0.02  # seconds
_HIGHEST_PORT = 55_535
_DURABLE = {"appendonly": "yes", "appendfsync": "always"}
_FORGETFUL = {"appendonly": "no"}


class RedisServer(OwnedServer):
    """What a durable one answered is on disk, and kept over `stop` and `kill`."""

    name = "Redis"
    ready = "eady to accept connections"
    port_taken = "bind"

    def __init__(
        self, program: Path | None = None, *, durable: bool = True, settings: Mapping[str, str] | None = None
    ) -> None:
        """`program`: the server's binary. `settings`: as in its configuration file."""
        self._program = program or require_redis()
        self._settings = {"save": "", **(_DURABLE if durable else _FORGETFUL), **(settings or {})}
        super().__init__("redis-")

    def address(self, database: int = 0) -> str:
        """The address over TCP."""
        password = self._settings.get("requirepass")
        return f"redis://{f':{password}@' if password else ''}127.0.0.1:{self.port}/{database}"

    def socket_address(self) -> str:
        """The address over the unix socket."""
        return f"redis+unix://{self.folder / 'redis.sock'}"

    def client(self) -> "Redis":
        """A client of the test's own, to be closed by it."""
        return Redis(port=self.port, password=self._settings.get("requirepass"), socket_timeout=_DEADLINE)

    def command(self, *words: Any) -> Any:
        """What the server answers to a command."""
        with self.client() as client:
            return client.execute_command(*words)

    def _choose_port(self) -> int:
        """One to which 10,000 can be added: there the nodes of a cluster talk to one another."""
        while (port := free_port()) > _HIGHEST_PORT:
            pass
        return port

    def _command(self) -> list[str]:
        settings = self._settings | {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(self.folder),
            "unixsocket": str(self.folder / "redis.sock"),
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
