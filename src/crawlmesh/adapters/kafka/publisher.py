"""Produces records, and waits until the broker has them."""

import asyncio
import contextlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from crawlmesh.adapters.kafka.address import KafkaAddress
from crawlmesh.adapters.kafka.reachability import Reachability
from crawlmesh.adapters.kafka.records import Record
from crawlmesh.errors import ChannelError

_POLL = 0.1  # seconds that a thread waits for reports
_FULL = 0.01  # seconds to wait when the producer holds as much as it can
_AT_ONCE = 500  # records that are produced before the event loop has its turn
_CLOSING = 5.0  # seconds for what was given up
_SETTINGS = {
    "acks": "all",
    "enable.idempotence": True,
    "linger.ms": 1,
    "message.max.bytes": 10_000_000,  # the broker has a limit of its own, one megabyte if nobody changed it
    "compression.type": "lz4",
    "topic.metadata.propagation.max.ms": 2_000,  # then a topic that somebody removed counts as gone
}


class Publisher:
    """One producer, made when it is first needed, that many publish with at once."""

    def __init__(self, address: KafkaAddress, reachability: Reachability) -> None:
        self._settings = {
            **address.client_settings,
            **_SETTINGS,
            "message.timeout.ms": int(address.publish_timeout * 1_000),
            "error_cb": reachability.failed,
        }
        self._reachability = reachability
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kafka-publisher")
        self._producer: Producer | None = None
        self._polling: dict[Producer, asyncio.Task[None]] = {}  # those with something under way
        self._closed = False

    async def publish(self, topic: str, records: Sequence[Record]) -> dict[int, KafkaError]:
        """Return when the fate of all of them is known: the errors, by position."""
        producer = self._open()
        reports = _Reports(len(records))
        for number, record in enumerate(records):
            if number % _AT_ONCE == _AT_ONCE - 1:
                self._keep_polling(producer)
                await asyncio.sleep(0)
            await self._produce(producer, topic, record, partial(reports.come, number))
        self._keep_polling(producer)
        await reports.all_came
        self._judge(reports.errors, len(records))
        return reports.errors

    async def refresh(self, topic: str) -> None:
        """Look at a topic again that was not there before."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(KafkaException):
            await loop.run_in_executor(self._thread, partial(self._open().list_topics, topic, timeout=2))

    async def aclose(self) -> None:
        """Give up what is under way, and let go. Twice is fine."""
        if self._closed:
            return
        self._closed = True
        producer, self._producer = self._producer, None
        if producer is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, _end, producer)
        await asyncio.gather(*self._polling.values())
        self._thread.shutdown()

    def _open(self) -> Producer:
        if self._closed:
            raise ChannelError("Nothing can be published: the task channel is closed.")
        if self._producer is None:
            self._producer = Producer(self._settings)
        return self._producer

    async def _produce(self, producer: Producer, topic: str, record: Record, report: "_Report") -> None:
        while True:
            try:
                return producer.produce(
                    topic, record.value, record.key, headers=record.headers, on_delivery=report
                )
            except BufferError:
                self._keep_polling(producer)
                await asyncio.sleep(_FULL)
            except KafkaException as exception:
                return report(exception.args[0], None)

    def _judge(self, errors: dict[int, KafkaError], number: int) -> None:
        if len(errors) < number:
            self._reachability.answered()
        for error in errors.values():
            self._reachability.failed(error)
            if error.fatal():
                self._producer = None  # this one can do nothing any more

    def _keep_polling(self, producer: Producer) -> None:
        if producer not in self._polling:
            self._polling[producer] = asyncio.create_task(self._poll(producer))

    async def _poll(self, producer: Producer) -> None:
        loop = asyncio.get_running_loop()
        try:
            while len(producer):
                await loop.run_in_executor(self._thread, producer.poll, _POLL)
        finally:
            del self._polling[producer]


class _Reports:
    """What became of the records of one call. Reports come in the polling thread."""

    def __init__(self, expected: int) -> None:
        self._missing = expected
        self._loop = asyncio.get_running_loop()
        self.all_came: asyncio.Future[None] = self._loop.create_future()
        self.errors: dict[int, KafkaError] = {}

    def come(self, number: int, error: KafkaError | None, _: Message | None) -> None:
        if error is not None:
            self.errors[number] = error
        self._missing -= 1
        if not self._missing:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
                self._loop.call_soon_threadsafe(self._finish)

    def _finish(self) -> None:
        if not self.all_came.done():
            self.all_came.set_result(None)


_Report = partial[None]


def _end(producer: Producer) -> None:
    producer.purge()
    producer.flush(_CLOSING)
