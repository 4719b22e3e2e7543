"""A RabbitMQ server for tests."""

import asyncio
from urllib.parse import quote

from crawlmesh.testing.servers.owned_server import OwnedServer, free_port
from crawlmesh.testing.servers.rabbitmq_programs import RabbitPrograms, require_rabbitmq
from crawlmesh.testing.servers.server_process import ServerProcess, command_as

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


class RabbitServer(OwnedServer):
    """It has an epmd of its own. What was not confirmed may be lost by `kill`."""

    name = "RabbitMQ"
    ready = "Server startup complete"
    port_taken = "eaddrinuse"
    deadline = 120.0

    def __init__(self, programs: RabbitPrograms | None = None) -> None:
        self._programs = programs or require_rabbitmq()
        super().__init__("rabbit-")
        self._epmd: ServerProcess | None = None
        self._epmd_port = 0

    def address(self, password: str = _PASSWORD) -> str:
        """The address for clients."""
        return f"amqp://crawlmesh:{quote(password, safe='')}@127.0.0.1:{self.port}/"

    async def kill_in_thread(self) -> None:
        """As `kill`, while the event loop goes on."""
        await asyncio.to_thread(self.kill)

    async def start_in_thread(self) -> None:
        """As `start`, while the event loop goes on."""
        await asyncio.to_thread(self.start)

    def close(self) -> None:
        """As for every server, and the epmd too."""
        self.kill()
        if self._epmd is not None:
            self._epmd.kill()
            self._epmd.wait_ended(self.deadline)
        super().close()

    def _prepare(self, *, again: bool) -> None:
        del again
        self._start_epmd()
        text = _CONFIGURATION.format(port=self.port, password=_PASSWORD)
        (self.folder / "rabbitmq.conf").write_text(text)

    def _start_epmd(self) -> None:
        """Erlang would start one as a daemon that outlives everything."""
        if self._epmd is not None and self._epmd.alive:
            return
        for _ in range(5):
            self._epmd_port = free_port()
            program = [str(self._programs.epmd), "-d", "-port", str(self._epmd_port), "-address", "127.0.0.1"]
            self._epmd = ServerProcess(command_as("", program), self.folder, "epmd running")
            if self._epmd.wait_ready(self.deadline):
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
            "RABBITMQ_DIST_PORT": str(free_port()),
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
