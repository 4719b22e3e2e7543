"""What an address such as `kafka://host:9092?partitions=8` says."""

from collections.abc import Callable, Mapping
from typing import Any, Never
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from crawlmesh.errors import SettingError

_SCHEMES = {"kafka": False, "kafka+ssl": True}  # with TLS or not
_SASL = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_DEFAULT_PORT = 9092
_FILES = {"ca": "ssl.ca.location", "certificate": "ssl.certificate.location", "key": "ssl.key.location"}


class KafkaAddress(msgspec.Struct, frozen=True):
    """Where the brokers are, how to get in, and how topics are made."""

    servers: str  # host:port,host:port; the others are learned from them
    partitions: int = 8  # of a topic that many consume
    replication: int = -1  # copies of each topic; -1 leaves it to the broker
    create_topics: bool = True  # False: they are made and removed by those who run the broker
    publish_timeout: float = 10.0  # seconds after which publishing fails
    session_timeout: float = 10.0  # seconds of silence after which another consumer takes over
    security: Mapping[str, str] = {}  # settings of the client; has the password

    def __repr__(self) -> str:
        return f"KafkaAddress({self.servers!r})"

    @property
    def client_settings(self) -> dict[str, Any]:
        """What every client of the broker is made with."""
        return {
            "bootstrap.servers": self.servers,
            "client.id": "crawlmesh",
            "log_level": 0,  # it would write to the standard error; what counts comes as errors
            "reconnect.backoff.max.ms": 2_000,
            "socket.keepalive.enable": True,
            **self.security,
        }


def parse_address(text: str) -> KafkaAddress:
    """Understand an address. Raises SettingError, which never shows a password."""
    parts = urlsplit(text)
    if parts.scheme not in _SCHEMES:
        _refuse(f"begins with {parts.scheme!r}, not with kafka:// or kafka+ssl://")
    if parts.path not in ("", "/"):
        _refuse(f"has the path {parts.path!r}; topics are named after places, leave it out")
    user, has_user, servers = parts.netloc.rpartition("@")
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    fields = {name: read(name, query.pop(name)) for name, read in _READERS.items() if name in query}
    security = _security(_SCHEMES[parts.scheme], user if has_user else "", query)
    if query:
        allowed = ", ".join([*_READERS, "sasl", *_FILES])
        _refuse(f"has the unknown option {min(query)!r}; there are {allowed}")
    return KafkaAddress(servers=_servers(servers), security=security, **fields)


def _servers(text: str) -> str:
    servers = []
    for server in text.split(","):
        host, colon, port = server.rpartition(":")
        if not colon or server.endswith("]"):  # a bare IPv6 address ends with its bracket
            host, port = server, str(_DEFAULT_PORT)
        if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
            _refuse(f"has {server!r} where host:port is needed")
        servers.append(f"{host}:{port}")
    return ",".join(servers)


def _security(tls: bool, user: str, query: dict[str, str]) -> dict[str, str]:
    settings = {}
    for option, name in _FILES.items():
        if option in query:
            if not tls:
                _refuse(f"has the option {option!r}, which needs kafka+ssl://")
            settings[name] = query.pop(option)
    mechanism = query.pop("sasl", "SCRAM-SHA-256" if user else "").upper()
    if mechanism:
        name, _, password = user.partition(":")
        if mechanism not in _SASL:
            _refuse(f"has sasl={mechanism}; it can be {', '.join(_SASL)}")
        if not name:
            _refuse(f"has sasl={mechanism} and no user; write user:password@ before the host")
        settings |= {
            "sasl.mechanism": mechanism,
            "sasl.username": unquote(name),
            "sasl.password": unquote(password),
        }
    protocol = ("SASL_" if mechanism else "") + ("SSL" if tls else "PLAINTEXT")
    return settings | {"security.protocol": protocol}


def _whole(name: str, text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) <= 10_000:
        _refuse(f"has {name}={text}; it must be a whole number from 1 to 10000")
    return int(text)


def _seconds(name: str, text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= 3_600:
        _refuse(f"has {name}={text}; it must be a number of seconds from 1 to 3600")
    return seconds


def _yes_or_no(name: str, text: str) -> bool:
    if text not in ("true", "false"):
        _refuse(f"has {name}={text}; it must be true or false")
    return text == "true"


_READERS: dict[str, Callable[[str, str], Any]] = {
    "partitions": _whole,
    "replication": _whole,
    "create_topics": _yes_or_no,
    "publish_timeout": _seconds,
    "session_timeout": _seconds,
}


def _refuse(problem: str) -> Never:
    raise SettingError(f"The address of the task channel {problem}. Write kafka://host:9092?partitions=8.")
