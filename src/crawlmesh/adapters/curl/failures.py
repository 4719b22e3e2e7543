"""libcurl's error codes in our words."""

import msgspec
import pycurl

from crawlmesh.model.page import FailureKind

Failure = tuple[FailureKind, str]  # the sentence is for people

_TLS_CODES = frozenset(
    {
        35,  # handshake
        53,  # engine
        54,
        58,  # client certificate
        59,  # cipher
        60,  # the server's certificate
        64,
        66,
        77,  # CA file
        80,  # shutdown
        82,  # revocation list
        83,  # issuer
        90,  # pinned key
        91,  # stapled status
        98,  # client certificate wanted
    }
)
_PROXY_CODES = frozenset({pycurl.E_COULDNT_RESOLVE_PROXY, 97})
_CERTIFICATE_CODE = 60


class RequestRefusedError(Exception):
    """A request that is not even sent. Never leaves this folder."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure[1])
        self.failure = failure


class FailureContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a message may name. Built only when something failed."""

    host: str
    proxied: bool
    connect_timeout: float  # seconds
    total_timeout: float  # seconds


def failure_of(code: int, message: str, context: FailureContext) -> Failure:
    """The kind of failure that an error code means, and a sentence about it."""
    host = context.host
    if code == pycurl.E_OPERATION_TIMEDOUT:
        return _timeout(message, context)
    if code in _PROXY_CODES or (context.proxied and _is_about_the_proxy(code, message)):
        return (
            FailureKind.PROXY,
            f"The proxy did not connect to {host} ({_clean(message)}); check its setting.",
        )
    if code == pycurl.E_COULDNT_RESOLVE_HOST:
        return FailureKind.DNS, f"The name {host} does not resolve; check the spelling and the DNS server."
    if code == pycurl.E_COULDNT_CONNECT:
        return FailureKind.CONNECT, f"No connection to {host} ({_clean(message)}); is the server running?"
    if code in _TLS_CODES:
        return FailureKind.TLS, _tls_sentence(code, message, host)
    if code == pycurl.E_URL_MALFORMAT:
        return FailureKind.BAD_URL, f"The URL cannot be requested ({_clean(message)})."
    return FailureKind.PROTOCOL, f"{host} did not answer with complete, valid HTTP ({_clean(message)})."


def private_address(host: str, address: str) -> Failure:
    """The failure for an address that is refused by setting."""
    return (
        FailureKind.PRIVATE_ADDRESS,
        f"{host} leads to {address}, which is not a public address; pass --allow-private to crawl it.",
    )


def too_large(host: str, limit: int) -> Failure:
    """The failure for a body above the size limit."""
    return (
        FailureKind.TOO_LARGE,
        f"The body from {host} is larger than {limit:,} bytes; raise the size limit to take it.",
    )


def first_byte_timeout(host: str, seconds: float) -> Failure:
    """The failure for a server that takes the request and stays silent."""
    return FailureKind.FIRST_BYTE_TIMEOUT, f"{host} sent no answer within {seconds:g} s after the connection."


def _timeout(message: str, context: FailureContext) -> Failure:
    # libcurl has one code for all time-outs; only its message says in which phase it was.
    host, seconds = context.host, context.connect_timeout
    if message.startswith("Operation"):
        return (
            FailureKind.BODY_TIMEOUT,
            f"{host} did not complete its answer within {context.total_timeout:g} s.",
        )
    if message.startswith("Resolving"):
        return FailureKind.DNS, f"The name {host} did not resolve within {seconds:g} s; check the DNS server."
    through = " through the proxy" if context.proxied else ""
    return FailureKind.CONNECT_TIMEOUT, f"No connection to {host}{through} within {seconds:g} s."


def _is_about_the_proxy(code: int, message: str) -> bool:
    return code == pycurl.E_COULDNT_CONNECT or "proxy" in message.lower() or "CONNECT tunnel" in message


def _tls_sentence(code: int, message: str, host: str) -> str:
    if code == _CERTIFICATE_CODE:
        return (
            f"The certificate of {host} is not trusted ({_clean(message)}); verification can be switched off."
        )
    return f"No TLS connection to {host} ({_clean(message)})."


def _clean(message: str) -> str:
    return message.strip().rstrip(".") or "no reason given"
