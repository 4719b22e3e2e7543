"""Asking a worker whether it is there."""

import asyncio

_QUESTION = b"GET /health HTTP/1.1\r\nHost: node\r\nConnection: close\r\n\r\n"
_ANSWER = b"HTTP/1.1 200"


class TcpNodeProbe:
    """Connects to the worker's port and asks for `/health`. See NodeProbe."""

    async def reachable(self, ip_address: str, port: int, timeout: float) -> bool:
        """See NodeProbe.reachable."""
        try:
            async with asyncio.timeout(timeout):
                return await _answers(ip_address, port)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            return False


async def _answers(ip_address: str, port: int) -> bool:
    reader, writer = await asyncio.open_connection(ip_address, port)
    try:
        writer.write(_QUESTION)
        return await reader.readexactly(len(_ANSWER)) == _ANSWER
    finally:
        writer.transport.abort()
