"""librdkafka's own imitation of a Kafka cluster: in this process, in milliseconds, in memory.

It cannot make or remove topics (they come into being when somebody asks for them, with four partitions),
and it does not restart.
"""

from confluent_kafka import Producer


class MockKafka:
    """Runs from its making until `close`."""

    def __init__(self, brokers: int = 1) -> None:
        settings = {"bootstrap.servers": "mock", "test.mock.num.brokers": brokers, "log_level": 0}
        self._owner: Producer | None = Producer(settings)
        found = self._owner.list_topics(timeout=30).brokers.values()
        self.servers = ",".join(sorted(f"{broker.host}:{broker.port}" for broker in found))

    def address(self) -> str:
        """The address for the setting `task_channel`."""
        return f"kafka://{self.servers}?create_topics=false"

    def close(self) -> None:
        """End it. Twice is fine."""
        self._owner = None
