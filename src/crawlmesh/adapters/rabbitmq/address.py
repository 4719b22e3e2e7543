"""Addresses of RabbitMQ: `amqp://user:password@host:port/vhost`, and `amqps://` with TLS."""

from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

import msgspec

from crawlmesh.errors import SettingError

_PORTS = {"amqp": 5672, "amqps": 5671}
_OPTIONS = frozenset({"cafile", "certfile", "heartbeat", "keyfile"})
_HEARTBEAT = "20"  # seconds after which silence is suspicious; after three times as many it is the end
_FORM = "such as amqp://user:password@rabbit.example.org:5672/vhost"


class BrokerAddress(msgspec.Struct, frozen=True):
    """Where the broker is."""

    url: str  # for the client, with the password
    shown: str  # for people, without it

    def __repr__(self) -> str:
        return f"BrokerAddress({self.shown!r})"


def parse_address(text: str) -> BrokerAddress:
    """Read an address. Raises SettingError, without the password, where it makes no sense."""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise SettingError(
            f"The task channel's address cannot be understood: {error}; give one {_FORM}"
        ) from None
    if parts.scheme not in _PORTS:
        raise SettingError(f"The task channel's address begins with amqp:// or amqps://, {_FORM}")
    if not parts.hostname:
        raise SettingError(f"The task channel's address names no host; give one {_FORM}")
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(options.keys() - _OPTIONS)
    if unknown:
        allowed = ", ".join(sorted(_OPTIONS))
        raise SettingError(f"The task channel's address has the option {unknown[0]!r}; allowed are {allowed}")
    heartbeat = options.setdefault("heartbeat", _HEARTBEAT)
    if not heartbeat.isdecimal():
        raise SettingError(f"The task channel's heartbeat is a number of seconds, not {heartbeat!r}")
    user, password = unquote(parts.username or "guest"), unquote(parts.password or "guest")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    vhost = unquote(parts.path[1:]) or "/"
    place = f"{host}:{port or _PORTS[parts.scheme]}"
    # The client takes what follows the first slash as the name of the virtual host, which is "/" by default.
    path = "/" if vhost == "/" else "/" + quote(vhost, safe="")
    login = f"{quote(user, safe='')}:{quote(password, safe='')}"
    return BrokerAddress(
        url=f"{parts.scheme}://{login}@{place}{path}?{urlencode(options)}",
        shown=f"{parts.scheme}://{quote(user, safe='')}@{place}{path}",
    )
