"""The server, or the cluster of servers: scripts that run in it, and what must be true of it."""

import asyncio
from typing import Any, Self

from redis import exceptions

from crawlmesh.adapters.redis.crawl_store.address import Address, Client, connect
from crawlmesh.adapters.redis.crawl_store.failures import FAILURES, translated
from crawlmesh.adapters.redis.crawl_store.partitions import partition_keys
from crawlmesh.adapters.redis.crawl_store.requirements import check_server
from crawlmesh.adapters.redis.crawl_store.scripts import script
from crawlmesh.errors import StoreError
from crawlmesh.ports.clock import Clock

_ABOUT = "crawlmesh"
_VERSION = 1


class Server:
    """Runs scripts on the partitions of a store."""

    def __init__(self, client: Client, address: Address, clock: Clock | None, connections: int) -> None:
        self._client = client
        self._clock = clock
        self._turn = asyncio.Semaphore(connections)  # a cluster's client refuses calls that must wait for one
        self._keys: tuple[str, ...] = ()
        self.address = address
        self.warnings: tuple[str, ...] = ()

    @classmethod
    async def open(cls, address: Address, clock: Clock | None, patience: float, connections: int) -> Self:
        """Connect, and see whether the server is fit. Raises StoreError or SettingError."""
        server = cls(connect(address, patience, connections), address, clock, connections)
        try:
            await server._prepare()
        except BaseException:
            await server.aclose()
            raise
        return server

    @property
    def partitions(self) -> int:
        """In how many parts the hosts are divided."""
        return len(self._keys)

    async def run(self, name: str, partition: int, *arguments: Any) -> Any:
        """Run a script on a partition. Raises StoreError."""
        wanted = script(name)
        now = repr(self._clock.now()) if self._clock else ""
        given = (1, self._keys[partition], now, partition, len(self._keys), *arguments)
        try:
            try:
                return await self._send("EVALSHA", wanted.digest, *given)
            except exceptions.NoScriptError:
                return await self._send("EVAL", wanted.text, *given)
        except FAILURES as error:
            raise translated(error, str(self.address)) from error

    async def run_everywhere(self, name: str, *arguments: Any) -> list[Any]:
        """Run a script on all partitions, and wait for all of them. Raises StoreError."""
        if len(self._keys) == 1:
            return [await self.run(name, 0, *arguments)]
        calls = [self.run(name, partition, *arguments) for partition in range(len(self._keys))]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers

    async def command(self, partition: int, command: str, key: str, *arguments: Any) -> Any:
        """One command on a key of a partition, whose name is given without the partition's."""
        name = f"{self._keys[partition]}:{key}" if key else self._keys[partition]
        try:
            return await self._send(command, name, *arguments)
        except FAILURES as error:
            raise translated(error, str(self.address)) from error

    async def time(self) -> tuple[int, int]:
        """The time of the server: seconds and microseconds."""
        try:
            seconds, microseconds = await self._send("TIME")
        except FAILURES as error:
            raise translated(error, str(self.address)) from error
        return int(seconds), int(microseconds)

    async def clear(self, partition: int, keys_at_once: int) -> None:
        """Take all keys of a partition away but the one with its sequences."""
        cursor: int | None = None
        try:
            while cursor != 0:
                cursor, keys = await self._send(
                    "SCAN", cursor or 0, "MATCH", f"{self._keys[partition]}:*", "COUNT", keys_at_once
                )
                cursor = int(cursor or 0)
                if keys:
                    await self._send("UNLINK", *keys)
        except FAILURES as error:
            raise translated(error, str(self.address)) from error

    async def _send(self, *words: Any) -> Any:
        async with self._turn:
            return await self._client.execute_command(*words)

    async def aclose(self) -> None:
        """Let go of all connections. Twice is fine."""
        await self._client.aclose()

    async def _prepare(self) -> None:
        try:
            self.warnings = await check_server(self._client, str(self.address))
            partitions = await self._agree_on_partitions()
        except FAILURES as error:
            raise translated(error, str(self.address)) from error
        self._keys = partition_keys(partitions)

    async def _agree_on_partitions(self) -> int:
        """The number that the database was first used with: hosts cannot move to other partitions."""
        wanted = self.address.default_partitions
        for field, value in (("version", _VERSION), ("partitions", wanted)):
            await self._client.execute_command("HSETNX", _ABOUT, field, value)
        version, partitions = await self._client.execute_command("HMGET", _ABOUT, "version", "partitions")
        if int(version) != _VERSION:
            raise StoreError(
                f"The Redis database at {self.address} was written by another version of Crawlmesh (its "
                f"layout is {int(version)}, not {_VERSION}). Use that version, or another database."
            )
        if self.address.partitions not in (None, int(partitions)):
            raise StoreError(
                f"The Redis database at {self.address} has {int(partitions)} partitions, not {wanted}. Leave "
                "partitions out of the address, or use an empty database."
            )
        return int(partitions)
