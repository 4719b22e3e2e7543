"""Crawlmesh: crawls a site from one command, and the same over a fleet."""

from typing import TYPE_CHECKING, Any

from crawlmesh.version import __version__

if TYPE_CHECKING:
    from crawlmesh.client import Client, NewTask

__all__ = ["Client", "NewTask", "__version__"]


def __getattr__(name: str) -> Any:
    # The client brings aiohttp, which crawls on this machine alone never need.
    if name in {"Client", "NewTask"}:
        from crawlmesh import client  # noqa: PLC0415

        return getattr(client, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
