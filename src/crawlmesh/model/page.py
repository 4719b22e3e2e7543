"""Requests and what comes back for them."""

from enum import StrEnum

import msgspec


class FailureKind(StrEnum):
    """Why a request brought no response."""

    DNS = "dns"  # the name does not resolve
    CONNECT = "connect"  # refused, unreachable, reset while connecting
    CONNECT_TIMEOUT = "connect_timeout"
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    BODY_TIMEOUT = "body_timeout"  # the whole transfer took too long
    TLS = "tls"
    PRIVATE_ADDRESS = "private_address"  # refused by setting (Y3)
    TOO_LARGE = "too_large"  # stopped at the size limit
    PROTOCOL = "protocol"  # what came back is not HTTP, or broke off
    BAD_URL = "bad_url"  # the client cannot request this
    PROXY = "proxy"


class FetchRequest(msgspec.Struct, frozen=True, gc=False):
    """One request. `token` comes back with its answer."""

    token: int
    url: str
    crawl_id: str = ""  # requests of one crawl share cookies
    headers: tuple[tuple[str, str], ...] = ()  # beside the fetcher's own
    accept_types: bool = True  # stop at the header where the content type is of no use


class FetchResponse(msgspec.Struct, frozen=True, gc=False):
    """An HTTP response, or the reason why there is none (`failure` is set, `status` is 0).

    `body` is decompressed. It is empty where the content type is of no use and the request
    said `accept_types`; `truncated` says that it was left out.
    """

    token: int
    url: str
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()  # names in lower case, in the order of arrival
    body: bytes = b""
    failure: FailureKind | None = None
    detail: str = ""  # one sentence for people, where it failed
    elapsed: float = 0.0  # seconds from the start to the end
    truncated: bool = False
    http_version: str = "1.1"
    address: str = ""  # the server's IP address
    sent_after: float = 0.0  # seconds from the start until the request went out: the connection stood

    def header(self, name: str) -> str | None:
        """The first header of this (lower-case) name."""
        for key, value in self.headers:
            if key == name:
                return value
        return None
