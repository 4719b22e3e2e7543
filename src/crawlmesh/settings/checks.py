"""What values must look like beyond their type. A message goes on after 'it'."""

import re
from urllib.parse import urlsplit

_PROXY_SCHEMES = ("http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://")
_STORE_SCHEMES = ("sqlite:///", "postgresql://", "postgres://")
_REDIS_SCHEMES = ("redis://", "rediss://", "redis+unix://", "redis+cluster://", "rediss+cluster://")
_BROKER_SCHEMES = ("amqp://", "amqps://", "kafka://", "kafka+ssl://")
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


def proxy_address(value: str | None) -> str | None:
    """The address of a proxy."""
    if value is not None and not value.lower().startswith(_PROXY_SCHEMES):
        raise ValueError("must start with " + ", ".join(_PROXY_SCHEMES))
    return value


def none_or_path(value: object) -> object:
    """The word `none` and the empty text mean no file."""
    return None if value in ("", "none") else value


def header(value: str) -> str:
    """A request header."""
    if not value.partition(":")[0].strip() or ":" not in value:
        raise ValueError("must be of the form 'Name: value'")
    return value


def cookie(value: str) -> str:
    """A cookie."""
    if not value.partition("=")[0].strip() or "=" not in value:
        raise ValueError("must be of the form 'name=value'")
    return value


def named_agent(value: str) -> str:
    """A User-Agent header whose first word is a name."""
    if not value[0].isalnum() or not value.isprintable():
        raise ValueError("must begin with a name, such as mybot/1.0, and be one line")
    return value


def master_addresses(value: str | None) -> str | None:
    """One address of a master or several, with commas between them."""
    for address in (value or "").split(","):
        parts = urlsplit(address.strip())
        if value is not None and (parts.scheme not in {"http", "https"} or not parts.hostname):
            raise ValueError("must be an address such as http://master:8000, or several with commas between")
    return value


def store_address(value: str | None) -> str | None:
    """The address of a database for tasks and nodes."""
    if value is not None and value.startswith(_REDIS_SCHEMES):
        raise ValueError("cannot be Redis, which keeps crawls only: give sqlite:///… or postgresql://…")
    if value is not None and not value.startswith(_STORE_SCHEMES):
        raise ValueError("must be of the form sqlite:///path/to/file or postgresql://user@host/database")
    return value


def crawl_store_address(value: str | None) -> str | None:
    """The address of a database for links and records."""
    if value is not None and not value.startswith((*_STORE_SCHEMES, *_REDIS_SCHEMES)):
        raise ValueError(
            "must be of the form sqlite:///path/to/file, postgresql://user@host/database, redis://host:port/0"
            " or redis+cluster://host:port"
        )
    return value


def broker_address(value: str | None) -> str | None:
    """The address of a message broker."""
    if value is not None and not (value.startswith(_BROKER_SCHEMES) and value.partition("://")[2]):
        raise ValueError("must be of the form amqp://user:password@host/vhost or kafka://host:9092")
    return value


def secret(value: str | None) -> str | None:
    """A key that fits into a header."""
    if value is not None and not re.fullmatch(r"[\x21-\x7e]+", value):
        raise ValueError("must be printable ASCII characters without spaces")
    return value


def identifier(value: str | None) -> str | None:
    """An id that can stand in an address."""
    if value is not None and not _IDENTIFIER.fullmatch(value):
        raise ValueError("must have 1 to 128 letters, digits, dots, dashes or underscores")
    return value
