"""One connection to the broker, made when it is needed, and again when it was lost."""

import asyncio
import logging

import aiormq
from aiormq import Channel, Connection

from crawlmesh.adapters.rabbitmq.address import BrokerAddress
from crawlmesh.adapters.rabbitmq.failures import CLIENT_FAILURES, channel_errors
from crawlmesh.errors import ChannelError

CONNECT_TIMEOUT = 10.0  # seconds
CLOSE_TIMEOUT = 5.0  # seconds that a broker which does not answer may take of the end


class BrokerConnection:
    """Whoever needs it while it is being made waits for the same try."""

    def __init__(self, address: BrokerAddress) -> None:
        _quieten_client()
        self.address = address
        self._connection: Connection | None = None
        self._attempt: asyncio.Task[Connection] | None = None
        self._abandoned: set[asyncio.Task[None]] = set()
        self._closed = False

    @property
    def is_open(self) -> bool:
        """Whether there is a connection."""
        return self._connection is not None and not self._connection.is_closed

    async def ready(self) -> None:
        """Connect where that is needed. Raises ChannelError."""
        await self._open()

    async def channel(self, *, confirms: bool) -> Channel:
        """A new channel; connects first where that is needed. Raises ChannelError."""
        connection = await self._open()
        with channel_errors(self.address.shown):
            async with asyncio.timeout(CONNECT_TIMEOUT):
                channel = await connection.channel(publisher_confirms=confirms)
        assert isinstance(channel, Channel)
        return channel

    def abandon(self) -> None:
        """The broker does not answer over this connection: make another one next time."""
        connection, self._connection = self._connection, None
        if connection is not None and not connection.is_closed:
            task = asyncio.create_task(_close(connection))
            self._abandoned.add(task)
            task.add_done_callback(self._abandoned.discard)

    async def aclose(self) -> None:
        """Close for good. Twice is fine."""
        self._closed = True
        if self._attempt is not None:
            self._attempt.cancel()
            await asyncio.wait([self._attempt])
        self.abandon()
        if self._abandoned:
            await asyncio.wait(self._abandoned)

    async def _open(self) -> Connection:
        if self._closed:
            raise ChannelError("The task channel is closed; open another one")
        if self._connection is not None and not self._connection.is_closed:
            return self._connection
        if self._attempt is None:
            self._attempt = asyncio.create_task(self._connect())
            self._attempt.add_done_callback(self._attempt_ended)
        attempt = self._attempt
        await asyncio.wait([attempt])
        if attempt.cancelled():
            raise ChannelError("The task channel was closed meanwhile; open another one")
        return attempt.result()

    async def _connect(self) -> Connection:
        with channel_errors(self.address.shown):
            async with asyncio.timeout(CONNECT_TIMEOUT):
                connection = await aiormq.connect(self.address.url)
        assert isinstance(connection, Connection)
        self._connection = connection
        return connection

    def _attempt_ended(self, attempt: asyncio.Task[Connection]) -> None:
        self._attempt = None
        if not attempt.cancelled():
            attempt.exception()  # whoever waited has it; perhaps nobody did


def _quieten_client() -> None:
    """The client logs each lost connection and each failed try as an error; here both are everyday life."""
    log = logging.getLogger("aiormq")
    if log.level == logging.NOTSET:
        log.setLevel(logging.CRITICAL)


async def _close(connection: Connection) -> None:
    """Close, as far as the broker plays along."""
    try:
        await connection.close(ConnectionAbortedError("closed"), timeout=CLOSE_TIMEOUT)
    except CLIENT_FAILURES:
        pass
    except asyncio.CancelledError:  # the client passes on what it cancelled itself
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
