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
