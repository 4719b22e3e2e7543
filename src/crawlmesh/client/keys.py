"""The keys that open a cluster."""

from collections.abc import Sequence
from typing import Any

import msgspec

from crawlmesh.client.answers import Key
from crawlmesh.client.connection import Connection
from crawlmesh.client.paths import path_part
from crawlmesh.model.access import Role

_PATH = "/api/v1/keys"


class _Items(msgspec.Struct):
    items: list[Key]


class Keys:
    """Keys and their roles; for admins."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list(self) -> Sequence[Key]:
        """All keys, without their secrets."""
        return (await self._connection.ask("GET", _PATH, _Items)).items

    async def create(self, name: str, role: Role | str, *, expires_at: float | None = None) -> Key:
        """Make a key, for ever or until a moment (Unix time). Only this answer tells the secret."""
        body: dict[str, Any] = {"name": name, "role": str(role)}
        if expires_at is not None:
            body["expires_at"] = expires_at
        return await self._connection.ask("POST", _PATH, Key, body=body)

    async def remove(self, key_id: str) -> None:
        """Let a key open nothing any more."""
        await self._connection.ask("DELETE", f"{_PATH}/{path_part('key', key_id)}", object)
