"""The Kafka brokers of a test session. `tests/conftest.py` imports them once for all tests.

A real one takes seconds to start, so tests that use it stand in one xdist group, named `kafka`, and share it.
"""

from collections.abc import Iterator

import pytest

from crawlmesh.testing.servers.kafka import KafkaServer
from crawlmesh.testing.servers.kafka_mock import MockKafka
from crawlmesh.testing.servers.kafka_programs import require_kafka


@pytest.fixture(scope="session")
def kafka_session() -> Iterator[KafkaServer]:
    """The server itself; use `kafka_server`."""
    with KafkaServer(require_kafka()) as server:
        yield server


@pytest.fixture
def kafka_server(kafka_session: KafkaServer) -> KafkaServer:
    """The server, which runs when the test begins. The test may kill it and start it again."""
    kafka_session.start()
    return kafka_session


@pytest.fixture
def mock_kafka() -> Iterator[MockKafka]:
    """An imitation of the test's own."""
    with MockKafka() as mock:
        yield mock
