"""What goes over the pipe: frames of MessagePack, each with its length in front."""

import asyncio

from crawlmesh.errors import StoreError

_LENGTH_BYTES = 4
LARGEST_FRAME = 512 * 1024 * 1024  # bytes


async def read_frame(reader: asyncio.StreamReader) -> bytes | None:
    """The next frame, or None where the other end is gone."""
    try:
        length = int.from_bytes(await reader.readexactly(_LENGTH_BYTES))
        return await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def frame(payload: bytes) -> bytes:
    """A payload, ready to be written."""
    if len(payload) > LARGEST_FRAME:
        raise StoreError(f"A message of {len(payload)} bytes is too large for the pipe.")
    return len(payload).to_bytes(_LENGTH_BYTES) + payload
