"""The address of a Redis server or cluster, as the setting `crawl_store` gives it."""

from typing import Any
from urllib.parse import parse_qsl, urlsplit

import msgspec
from redis.asyncio import BlockingConnectionPool, Redis, RedisCluster, UnixDomainSocketConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from crawlmesh.errors import SettingError

FORM = (
    "redis://[USER:PASSWORD@]HOST:PORT/NUMBER, rediss://… for TLS, redis+unix:///path/to/socket, or "
    "redis+cluster://HOST:PORT?partitions=16"
)
_SCHEMES = ("redis", "rediss", "redis+unix", "redis+cluster", "rediss+cluster")
_PORT = 6379
_MOST_PARTITIONS = 1024
_PARTITIONS_OF_CLUSTER = 16
_ANSWER = 60.0  # seconds that a script may take

Client = Redis | RedisCluster


class Address(msgspec.Struct, frozen=True):
    """Where the server is, and over how many parts of a cluster crawls are spread."""

    host: str
    port: int
    database: int = 0
    user: str | None = None
    password: str | None = None
    tls: bool = False
    socket: str | None = None  # path of a unix socket
    cluster: bool = False
    partitions: int | None = None  # None: as the database says, or the default for a new one

    def __str__(self) -> str:
        """What may be shown: no user and no password."""
        if self.socket:
            return self.socket
        return f"{self.host}:{self.port}" + ("" if self.cluster else f"/{self.database}")

    @property
    def default_partitions(self) -> int:
        """For a database that is used for the first time."""
        return self.partitions or (_PARTITIONS_OF_CLUSTER if self.cluster else 1)


def parse_address(text: str) -> Address:
    """Understand an address. Raises SettingError."""
    parts = urlsplit(text)
    try:
        if parts.scheme not in _SCHEMES:
            raise ValueError(f"{parts.scheme}:// is none of its forms")
        query = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        partitions = _partitions(query.pop("partitions", None))
        number = query.pop("db", None)
        if query:
            raise ValueError(f"it knows no {next(iter(query))!r}")
        is_unix = parts.scheme == "redis+unix"
        path = parts.path.strip("/")
        return Address(
            host=parts.hostname or "localhost",
            port=parts.port or _PORT,
            database=int(number or (0 if is_unix else path or 0)),
            user=parts.username or None,
            password=parts.password or None,
            tls=parts.scheme.startswith("rediss"),
            socket=parts.path if is_unix else None,
            cluster=parts.scheme.endswith("+cluster"),
            partitions=partitions,
        )
    except ValueError as error:
        raise SettingError(
            f"The setting crawl_store has an address that cannot be understood ({error}): give {FORM}."
        ) from error


def connect(address: Address, patience: float, connections: int) -> Client:
    """A client that connects when it is used. Calls are not repeated: the caller decides on that."""
    retry = Retry(NoBackoff(), 0)
    if address.cluster:
        return RedisCluster(
            address.host,
            address.port,
            username=address.user,
            password=address.password,
            ssl=address.tls,
            socket_timeout=_ANSWER,
            socket_connect_timeout=patience,
            max_connections=2 * connections,  # to each node, with those that look for its neighbours
            protocol=2,
        )
    pool = BlockingConnectionPool(
        max_connections=connections,
        timeout=None,
        username=address.user,
        password=address.password,
        db=address.database,
        socket_timeout=_ANSWER,
        retry=retry,
        protocol=2,
        **_way(address, patience),
    )
    return Redis.from_pool(pool)


def _way(address: Address, patience: float) -> dict[str, Any]:
    if address.socket:
        return {"connection_class": UnixDomainSocketConnection, "path": address.socket}
    way: dict[str, Any] = {
        "host": address.host,
        "port": address.port,
        "socket_connect_timeout": patience,
        "socket_keepalive": True,
    }
    if address.tls:
        from redis.asyncio import SSLConnection  # noqa: PLC0415

        way["connection_class"] = SSLConnection
    return way


def _partitions(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdigit() or not 1 <= int(text) <= _MOST_PARTITIONS:
        raise ValueError(f"partitions must be a number from 1 to {_MOST_PARTITIONS}, not {text!r}")
    return int(text)
