"""A Kafka broker for tests: one node, which is its own controller."""

import base64
import shutil
import signal
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from crawlmesh.testing.servers.kafka_programs import KafkaPrograms, require_kafka
from crawlmesh.testing.servers.server_process import ServerProcess, command_as

_DEADLINE = 120.0  # seconds for a start or a stop
_READY = "Kafka Server started"
_PORT_TAKEN = "Address already in use"
_JAVA_OPTIONS = ["-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true"]
_SETTINGS = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "log.cleaner.dedupe.buffer.size": "4194304",
    "log.index.size.max.bytes": "1048576",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "background.threads": "2",
    "broker.heartbeat.interval.ms": "500",
    "broker.session.timeout.ms": "2500",  # a killed broker may not come back sooner
    **dict.fromkeys(
        [
            "offsets.topic.num.partitions",
            "offsets.topic.replication.factor",
            "transaction.state.log.num.partitions",
            "transaction.state.log.replication.factor",
            "transaction.state.log.min.isr",
            "share.coordinator.state.topic.num.partitions",
            "share.coordinator.state.topic.replication.factor",
            "share.coordinator.state.topic.min.isr",
        ],
        "1",
    ),
}


class KafkaServer:
    """Starts in a temporary folder of its own; `with` starts it and leaves nothing behind.

    The port stays the same over `restart`, so that clients find it again. All topics are lost with
    `close`; `stop` and `kill` keep them for the next `start`.
    """

    def __init__(
        self, programs: KafkaPrograms | None = None, *, settings: Mapping[str, str] | None = None
    ) -> None:
        """`settings` are those of server.properties."""
        self._programs = programs or require_kafka()
        self._settings = {**_SETTINGS, **(settings or {})}
        self._process: ServerProcess | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="kafka-", dir="/tmp"))
        self._configuration = self._folder / "server.properties"
        self.port = 0

    @property
    def pid(self) -> int | None:
        """The process id of the server, where it runs."""
        return self._process.pid if self._process and self._process.alive else None

    @property
    def log(self) -> list[str]:
        """The last lines that the server wrote."""
        return list(self._process.log) if self._process else []

    @property
    def servers(self) -> str:
        """Host and port, as clients want them."""
        return f"127.0.0.1:{self.port}"

    def address(self, query: str = "") -> str:
        """The address for the setting `task_channel`."""
        return f"kafka://{self.servers}" + (f"?{query}" if query else "")

    def start(self) -> None:
        """Start, and wait until clients are answered. Nothing happens where it runs."""
        if self._process is not None and self._process.alive:
            return
        fixed = self.port != 0
        for _ in range(1 if fixed else 5):  # another process may take the port before the server does
            if not fixed:
                self._lay_folder()
            self._process = ServerProcess(self._command("kafka.Kafka"), self._folder, _READY)
            if self._process.wait_ready(_DEADLINE):
                self._ask()
                return
            self.kill()
            if not any(_PORT_TAKEN in line for line in self.log):
                break
        raise RuntimeError("Kafka did not start:\n" + "\n".join(self.log))

    def stop(self) -> None:
        """Shut down in order. Twice is fine."""
        process = self._process
        if process is None or not process.alive:
            return
        process.send(signal.SIGCONT)  # where it was frozen
        process.send(signal.SIGTERM)
        if not process.wait_ended(_DEADLINE):
            self.kill()

    def kill(self) -> None:
        """SIGKILL: what the system has not written to the disk yet is kept all the same."""
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
        """End it and remove the folder. Twice is fine."""
        self.kill()  # nothing of it is needed any more, and its shutdown takes seconds
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
        """Choose ports, and write what a new broker needs."""
        self.port, controller = _free_ports()
        data = self._folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        settings = self._settings | {
            "listeners": f"PLAINTEXT://{self.servers},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://{self.servers}",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}",
            "log.dirs": str(data),
        }
        self._configuration.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        done = subprocess.run(
            self._command("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config"),
            cwd=self._folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=_DEADLINE,
        )
        if done.returncode != 0:
            raise RuntimeError(
                f"Kafka's storage could not be formatted:\n{done.stdout}{done.stderr}"[-3_000:]
            )

    def _command(self, *arguments: str) -> list[str]:
        program = [str(self._programs.java), *_JAVA_OPTIONS, "-cp", f"{self._programs.jars}/*"]
        # A Java takes SIGQUIT for a question.
        return command_as("", [*program, *arguments, str(self._configuration)], signal.SIGKILL)

    def _ask(self) -> None:
        client = AdminClient({"bootstrap.servers": self.servers, "log_level": 0})
        try:
            client.list_topics(timeout=_DEADLINE)
        except KafkaException as error:
            raise RuntimeError("Kafka started and does not answer:\n" + "\n".join(self.log)) from error


def _free_ports() -> tuple[int, int]:
    with socket.socket() as first, socket.socket() as second:
        for probe in (first, second):
            probe.bind(("127.0.0.1", 0))
        return int(first.getsockname()[1]), int(second.getsockname()[1])
