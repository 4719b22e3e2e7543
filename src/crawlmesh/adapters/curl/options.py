"""What a fetcher can be told, checked when it is told."""

import re
from urllib.parse import urlsplit

import msgspec

from crawlmesh.errors import SettingError
from crawlmesh.version import __version__

DEFAULT_ACCEPTED_TYPES = (
    "text/*",
    "application/xhtml+xml",
    "application/xml",
    "application/*+xml",  # RSS, Atom, RDF
    "application/json",
    "application/*+json",
)

_PROXY_SCHEMES = ("http", "https", "socks4", "socks4a", "socks5", "socks5h")
_HEADER_NAME = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_COOKIE = re.compile(r"[^=;\s]+=[^;\t\r\n]*")
_COOKIE_HOST = re.compile(r"[^;\s]+")


class InitialCookie(msgspec.Struct, frozen=True):
    """A cookie that the jar of every crawl starts with, for one host or (without `host`) for each."""

    name: str
    value: str
    host: str = ""


class FetchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How requests are sent and where they are given up. Durations in seconds, sizes in bytes."""

    user_agent: str = f"crawlmesh/{__version__}"
    headers: tuple[tuple[str, str], ...] = ()  # sent with every request; a request's own win
    accept_language: str = ""  # "" sends none
    cookies: tuple[str, ...] = ()  # "name=value" for every host, "name=value; host=example.org" for one
    proxy: str = ""  # "" connects directly; the proxy variables of the environment are not read

    connect_timeout: float = 10.0  # seconds, with name resolution and TLS
    first_byte_timeout: float = 30.0  # seconds from the connection to the first byte of the answer
    total_timeout: float = 120.0  # seconds for the whole transfer
    max_body_bytes: int = 20 * 1024 * 1024  # after decompression

    allow_private_networks: bool = False
    verify_tls: bool = True
    ca_file: str = ""  # "" takes the system's certificates
    http2: bool = True  # agreed by ALPN, so over TLS only

    accepted_types: tuple[str, ...] = DEFAULT_ACCEPTED_TYPES  # "type/subtype", "type/*", "type/*+suffix"
    max_connections: int = 512  # kept open for reuse
    dns_cache_seconds: int = 300

    def __post_init__(self) -> None:
        """Refuse what libcurl would refuse or misunderstand in the middle of a crawl."""
        _check_numbers(self)
        for name, value in (*self.headers, ("User-Agent", self.user_agent)):
            check_header(name, value)
        if self.proxy:
            _check_proxy(self.proxy)
        self.initial_cookies()

    def initial_cookies(self) -> tuple[InitialCookie, ...]:
        """The cookies, taken apart."""
        return tuple(_parse_cookie(cookie) for cookie in self.cookies)


def check_header(name: str, value: str) -> None:
    """Refuse a header that could not be sent, or that would smuggle in another one."""
    if not _HEADER_NAME.fullmatch(name):
        raise SettingError(f"headers: {name!r} is not a header name; use letters, digits and hyphens.")
    if "\r" in value or "\n" in value or "\0" in value:
        raise SettingError(f"headers: the value of {name!r} has a line break; put it on one line.")


def _check_numbers(options: FetchOptions) -> None:
    for name in (
        "connect_timeout",
        "first_byte_timeout",
        "total_timeout",
        "max_body_bytes",
        "max_connections",
    ):
        value = getattr(options, name)
        if value <= 0:
            raise SettingError(f"{name} is {value}; it must be greater than 0.")


def _check_proxy(proxy: str) -> None:
    try:
        parts = urlsplit(proxy)
        understood = parts.scheme in _PROXY_SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        understood = False
    if not understood or not proxy.isascii():
        # The URL itself stays out of the message: it may hold a password.
        raise SettingError(
            "proxy is not a proxy URL; write scheme://[user:password@]host:port"
            f" with one of the schemes {', '.join(_PROXY_SCHEMES)}."
        )


def _parse_cookie(text: str) -> InitialCookie:
    pair, *attributes = (part.strip() for part in text.split(";"))
    host = ""
    for attribute in attributes:
        key, _, host = attribute.partition("=")
        if key.strip().lower() not in ("host", "domain") or not _COOKIE_HOST.fullmatch(host.strip()):
            raise SettingError(
                f"cookies: {attribute!r} is not understood; only 'host=NAME' may follow the value."
            )
    if not _COOKIE.fullmatch(pair):
        raise SettingError(f"cookies: {pair!r} is not a cookie; write name=value.")
    name, _, value = pair.partition("=")
    return InitialCookie(name=name, value=value, host=host.strip().lower().lstrip("."))
