"""A Kafka broker for tests: one node, which is its own controller."""

import base64
import shutil
import signal
import subprocess
import uuid
from collections.abc import Mapping

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from crawlmesh.testing.servers.kafka_programs import KafkaPrograms, require_kafka
from crawlmesh.testing.servers.owned_server import OwnedServer, free_port
from crawlmesh.testing.servers.server_process import command_as

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


class KafkaServer(OwnedServer):
    """Its topics are kept over `stop` and `kill`, also what the system had not written to the disk yet."""

    name = "Kafka"
    ready = "Kafka Server started"
    port_taken = "Address already in use"
    deadline = 120.0

    def __init__(
        self, programs: KafkaPrograms | None = None, *, settings: Mapping[str, str] | None = None
    ) -> None:
        """`settings` are those of server.properties."""
        self._programs = programs or require_kafka()
        self._settings = {**_SETTINGS, **(settings or {})}
        super().__init__("kafka-")
        self._configuration = self.folder / "server.properties"

    @property
    def servers(self) -> str:
        """Host and port, as clients want them."""
        return f"127.0.0.1:{self.port}"

    def address(self, query: str = "") -> str:
        """The address for the setting `task_channel`."""
        return f"kafka://{self.servers}" + (f"?{query}" if query else "")

    def start(self) -> None:
        """As for every server, and until a client was answered."""
        super().start()
        self._ask()

    def _prepare(self, *, again: bool) -> None:
        """Write what a new broker needs."""
        if again:
            return
        controller = free_port()
        data = self.folder / "data"
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
            self._java("kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config"),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=self.deadline,
        )
        if done.returncode != 0:
            raise RuntimeError(
                f"Kafka's storage could not be formatted:\n{done.stdout}{done.stderr}"[-3_000:]
            )

    def _command(self) -> list[str]:
        return self._java("kafka.Kafka")

    def _java(self, *arguments: str) -> list[str]:
        program = [str(self._programs.java), *_JAVA_OPTIONS, "-cp", f"{self._programs.jars}/*"]
        # A Java takes SIGQUIT for a question.
        return command_as("", [*program, *arguments, str(self._configuration)], signal.SIGKILL)

    def _ask(self) -> None:
        client = AdminClient({"bootstrap.servers": self.servers, "log_level": 0})
        try:
            client.list_topics(timeout=self.deadline)
        except KafkaException as error:
            raise RuntimeError("Kafka started and does not answer:\n" + "\n".join(self.log)) from error
