"""How masters are found in the network."""

from ipaddress import ip_address

import psutil

from crawlmesh.adapters.mdns import MdnsDiscovery
from crawlmesh.ports.master_discovery import MasterDiscovery

_EVERYWHERE = {"0.0.0.0", "::", ""}  # noqa: S104 - compared with, not bound to


def make_discovery() -> MasterDiscovery:
    """By mDNS, on all interfaces."""
    return MdnsDiscovery()


def announced_addresses(host: str) -> list[str]:
    """Under which addresses others reach a server that listens on `host`; none where nobody can."""
    if host in _EVERYWHERE:
        found = [address.address for many in psutil.net_if_addrs().values() for address in many]
        return [address for address in found if _is_public_ipv4(address)]
    return [host] if _is_public_ipv4(host) else []


def _is_public_ipv4(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    return parsed.version == 4 and not parsed.is_loopback
