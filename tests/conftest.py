import pytest

from crawlmesh.testing.servers.fixtures import postgres_databases, postgres_dsn, postgres_server
from crawlmesh.testing.servers.kafka_fixtures import kafka_server, kafka_session, mock_kafka
from crawlmesh.testing.servers.rabbitmq_fixtures import rabbitmq_server, rabbitmq_session
from crawlmesh.testing.servers.redis_fixtures import (
    old_redis_address,
    old_redis_session,
    redis_address,
    redis_cluster,
    redis_cluster_session,
    redis_server,
    redis_session,
    valkey_address,
    valkey_session,
)

__all__ = [
    "kafka_server",
    "kafka_session",
    "mock_kafka",
    "old_redis_address",
    "old_redis_session",
    "postgres_databases",
    "postgres_dsn",
    "postgres_server",
    "rabbitmq_server",
    "rabbitmq_session",
    "redis_address",
    "redis_cluster",
    "redis_cluster_session",
    "redis_server",
    "redis_session",
    "valkey_address",
    "valkey_session",
]

_WAITING = ("tests/acceptance/", "tests/browser/", "tests/chaos/")
_COMPUTING = "tests/simulation/"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put those that only compute between those that mostly wait, so that no core is idle meanwhile."""
    computing = [item for item in items if item.nodeid.startswith(_COMPUTING)]
    waiting = [item for item in items if item.nodeid.startswith(_WAITING)]
    others = [item for item in items if not item.nodeid.startswith((*_WAITING, _COMPUTING))]
    distance = len(waiting) // (len(computing) + 1) + 1
    spread: list[pytest.Item] = []
    for place in range(0, len(waiting), distance):
        spread += waiting[place : place + distance]
        spread += computing[:1]
        del computing[:1]
    items[:] = [*spread, *computing, *others]
