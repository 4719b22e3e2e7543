"""Fixtures for tests that need Redis. `tests/conftest.py` imports them once for all tests.

One server of each kind runs for each session (under xdist: for each worker); each test gets it empty.
"""

from collections.abc import Iterator

import pytest

from crawlmesh.testing.servers.redis import RedisCluster, RedisServer
from crawlmesh.testing.servers.redis_programs import require_old_redis, require_redis, require_valkey


@pytest.fixture(scope="session")
def redis_session() -> Iterator[RedisServer]:
    """The server itself; use `redis_address`."""
    with RedisServer(require_redis(), durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def old_redis_session() -> Iterator[RedisServer]:
    """A server of the oldest version; use `old_redis_address`."""
    with RedisServer(require_old_redis(), durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def valkey_session() -> Iterator[RedisServer]:
    """A Valkey server; use `valkey_address`."""
    with RedisServer(require_valkey(), durable=False) as server:
        yield server


@pytest.fixture(scope="session")
def redis_cluster_session() -> Iterator[RedisCluster]:
    """A cluster of three servers; use `redis_cluster`."""
    with RedisCluster(require_redis(), durable=False) as cluster:
        yield cluster


@pytest.fixture
def redis_address(redis_session: RedisServer) -> str:
    """The address of an empty server."""
    redis_session.command("FLUSHALL")
    return redis_session.address()


@pytest.fixture
def old_redis_address(old_redis_session: RedisServer) -> str:
    """The address of an empty server of the oldest version."""
    old_redis_session.command("FLUSHALL")
    return old_redis_session.address()


@pytest.fixture
def valkey_address(valkey_session: RedisServer) -> str:
    """The address of an empty Valkey server."""
    valkey_session.command("FLUSHALL")
    return valkey_session.address()


@pytest.fixture
def redis_cluster(redis_cluster_session: RedisCluster) -> RedisCluster:
    """An empty cluster."""
    redis_cluster_session.command("FLUSHALL")
    return redis_cluster_session


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A durable server of the test's own, to be stopped, killed and started again."""
    with RedisServer(require_redis()) as server:
        yield server
