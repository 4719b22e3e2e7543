"""The RabbitMQ server of a test session. `tests/conftest.py` imports it once for all tests.

It takes seconds to start, so tests that use it stand in one xdist group, named `rabbitmq`, and share it.
"""

from collections.abc import Iterator

import pytest

from crawlmesh.testing.servers.rabbitmq import RabbitServer
from crawlmesh.testing.servers.rabbitmq_programs import require_rabbitmq


@pytest.fixture(scope="session")
def rabbitmq_session() -> Iterator[RabbitServer]:
    """The server itself; use `rabbitmq_server`."""
    with RabbitServer(require_rabbitmq()) as server:
        yield server


@pytest.fixture
def rabbitmq_server(rabbitmq_session: RabbitServer) -> RabbitServer:
    """The server, which runs when the test begins. The test may kill it and start it again."""
    rabbitmq_session.start()
    return rabbitmq_session
