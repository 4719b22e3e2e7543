"""Announcing a master as the service `_crawlmesh._tcp.local.`, and listening for it."""

import asyncio
import secrets
import socket
from collections.abc import Sequence
from typing import Any

from zeroconf import Error, IPVersion, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from crawlmesh.version import __version__

SERVICE = "_crawlmesh._tcp.local."
_FURTHER = 0.5  # seconds that one listens for further masters after the first
_ASK_MILLISECONDS = 3_000
_IMPOSSIBLE = (OSError, Error)


class MdnsDiscovery:
    """Speaks mDNS over IPv4. `interfaces` are addresses of this machine; None: all of them."""

    def __init__(self, interfaces: Sequence[str] | None = None) -> None:
        self._interfaces = interfaces
        self._announcing: AsyncZeroconf | None = None

    async def announce(self, addresses: Sequence[str], port: int, *, tls: bool) -> bool:
        """Tell until `aclose` that a master answers there. False where the network does not allow it."""
        information = AsyncServiceInfo(
            SERVICE,
            f"crawlmesh-{socket.gethostname().partition('.')[0][:30]}-{secrets.token_hex(3)}.{SERVICE}",
            parsed_addresses=list(addresses),
            port=port,
            properties={"version": __version__, "scheme": "https" if tls else "http"},
        )
        try:
            self._announcing = self._open()
            await self._announcing.async_register_service(information)
        except _IMPOSSIBLE:
            await self.aclose()
            return False
        return True

    async def find(self, patience: float) -> list[str]:
        """The addresses of masters, as soon as one is heard; empty after `patience` seconds."""
        try:
            listening = self._open()
        except _IMPOSSIBLE:
            return []
        try:
            return await _listen(listening, patience)
        finally:
            await listening.async_close()

    async def aclose(self) -> None:
        """Take the announcement back. Twice is fine."""
        announcing, self._announcing = self._announcing, None
        if announcing is not None:
            await announcing.async_unregister_all_services()
            await announcing.async_close()

    def _open(self) -> AsyncZeroconf:
        if self._interfaces is None:
            return AsyncZeroconf(ip_version=IPVersion.V4Only)
        return AsyncZeroconf(interfaces=list(self._interfaces), ip_version=IPVersion.V4Only)


async def _listen(listening: AsyncZeroconf, patience: float) -> list[str]:
    names: asyncio.Queue[str] = asyncio.Queue()

    def heard(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:  # noqa: ARG001
        if state_change is ServiceStateChange.Added:
            names.put_nowait(name)

    browser = AsyncServiceBrowser(listening.zeroconf, [SERVICE], handlers=[heard])
    found: list[str] = []
    loop = asyncio.get_running_loop()
    until = loop.time() + patience
    try:
        while (left := until - loop.time()) > 0:
            name = await asyncio.wait_for(names.get(), left)
            urls = await _urls(listening, name)
            if urls and not found:
                until = min(until, loop.time() + _FURTHER)
            found += [url for url in urls if url not in found]
    except TimeoutError:
        pass
    finally:
        await browser.async_cancel()
    return found


async def _urls(listening: AsyncZeroconf, name: str) -> list[str]:
    information = AsyncServiceInfo(SERVICE, name)
    if not await information.async_request(listening.zeroconf, _ASK_MILLISECONDS):
        return []
    properties: dict[str, Any] = dict(information.decoded_properties)
    scheme = "https" if properties.get("scheme") == "https" else "http"
    return [f"{scheme}://{address}:{information.port}" for address in information.parsed_addresses()]
