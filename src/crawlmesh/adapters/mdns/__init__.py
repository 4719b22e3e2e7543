"""Masters that announce themselves by mDNS (zeroconf).

Chosen by `crawlmesh.wiring`; imports zeroconf and the ports.
"""

from crawlmesh.adapters.mdns.discovery import MdnsDiscovery

__all__ = ["MdnsDiscovery"]
