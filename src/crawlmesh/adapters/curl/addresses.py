"""Which addresses belong to nobody's public web server, and how connections to them are refused."""

import socket
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal

import pycurl

# The IANA special-purpose registries, less what is routed publicly; written out because the
# answers of `ipaddress.is_global` differ between Python releases.
_PRIVATE_V4 = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT, also Alibaba's metadata service
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, also the clouds' metadata services
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocol assignments, also Oracle's metadata service
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # former 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and the broadcast address
    )
)
_PUBLIC_V6 = ip_network("2000::/3")  # global unicast; nothing else is handed out
_PRIVATE_V6 = tuple(
    ip_network(text)
    for text in (
        "2001::/23",  # protocol assignments, Teredo
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
    )
)
_NAT64 = ip_network("64:ff9b::/96")


@lru_cache(maxsize=8192)
def is_private_address(text: str) -> bool:
    """Whether a literal IP address is not one of a public server. What is no address counts as private."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return True
    if isinstance(address, IPv6Address):
        return _is_private_v6(address)
    return _is_private_v4(address)


def _is_private_v4(address: IPv4Address) -> bool:
    return any(address in network for network in _PRIVATE_V4)


def _is_private_v6(address: IPv6Address) -> bool:
    inner = _embedded_v4(address)
    if inner is not None:
        return _is_private_v4(inner)
    return address not in _PUBLIC_V6 or any(address in network for network in _PRIVATE_V6)


def _embedded_v4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that a translated or tunnelled IPv6 address leads to."""
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour


def is_private_host(host: str) -> bool:
    """Whether a URL's host (in WHATWG form) is a private address or a name of this machine, unresolved."""
    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return is_private_address(name)


class OpenedSocket:
    """A socket for libcurl, which duplicates its descriptor and lets go of this object at once."""

    __slots__ = ("_socket",)

    def __init__(self, family: int, kind: int, protocol: int) -> None:
        self._socket = socket.socket(family, kind, protocol)

    def fileno(self) -> int:
        """The descriptor that libcurl duplicates."""
        return self._socket.fileno()

    def __del__(self) -> None:
        self._socket.close()


SocketAddress = tuple[int, int, int, tuple[str, int] | tuple[str, int, int, int] | bytes]
RefusedSocket = Literal[-1]
REFUSED: RefusedSocket = -1
assert pycurl.SOCKET_BAD == REFUSED


def private_part(address: SocketAddress) -> str | None:
    """The address, where a connection to it is to be refused."""
    family, target = address[0], address[3]
    if family not in (socket.AF_INET, socket.AF_INET6) or isinstance(target, bytes):
        return "a local socket"
    return target[0] if is_private_address(target[0]) else None
