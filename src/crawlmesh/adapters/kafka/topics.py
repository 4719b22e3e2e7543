"""The topics behind places: their names, and how they come and go."""

import asyncio
import re
import time
from concurrent.futures import ThreadPoolExecutor

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from crawlmesh.adapters.kafka.address import KafkaAddress
from crawlmesh.adapters.kafka.error_codes import AWAY, NOT_ALLOWED, TOPIC_NOT_READY
from crawlmesh.adapters.kafka.reachability import Reachability
from crawlmesh.errors import ChannelError

PREFIX = "crawlmesh."
_PLACE = re.compile(r"[A-Za-z0-9._-]{1,200}")
_SLICE = 2.0  # seconds of one try; a call that is given up ends no later
_PAUSE = 0.02  # seconds between two looks at a topic that is being made
_ONE_READER = ("assignments.",)  # places from which one node reads
_TRY_AGAIN = AWAY | TOPIC_NOT_READY


def topic_of(place: str) -> str:
    """The name of the topic. Raises ChannelError where a place has a name that no topic can have."""
    if not _PLACE.fullmatch(place):
        raise ChannelError(
            f"The place {place[:300]!r} cannot be a Kafka topic: "
            "use 1 to 200 letters, digits, dots, hyphens and underscores."
        )
    return PREFIX + place


def partitions_of(place: str, partitions: int) -> int:
    """How many partitions: one where one consumer reads, or somebody who looks through dead letters."""
    return 1 if place.startswith(_ONE_READER) or place.endswith(".dead") else partitions


class Topics:
    """Makes topics when they are first used, and removes them."""

    def __init__(self, address: KafkaAddress, reachability: Reachability) -> None:
        self._address = address
        self._reachability = reachability
        self._known: set[str] = set()
        self._admin: AdminClient | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kafka-topics")
        self._closed = False

    async def ensure(self, place: str) -> str:
        """The topic of a place, which is there from now on. Raises ChannelError."""
        topic = topic_of(place)
        if topic not in self._known:
            await self._try("make", topic, place)
            self._known.add(topic)
        return topic

    def forget(self, topic: str) -> None:
        """Somebody else removed it."""
        self._known.discard(topic)

    async def remove(self, place: str) -> None:
        """Remove the topic of a place, where there is one. Raises ChannelError."""
        topic = topic_of(place)
        self.forget(topic)
        if self._address.create_topics:
            await self._try("remove", topic, place)

    async def aclose(self) -> None:
        """Let go. Calls under way end within seconds, with an error. Twice is fine."""
        if self._closed:
            return
        self._closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
        self._thread.shutdown()

    def _close(self) -> None:
        self._admin = None  # the last reference ends its threads

    async def _try(self, verb: str, topic: str, place: str) -> None:
        deadline = time.monotonic() + self._address.publish_timeout
        loop = asyncio.get_running_loop()
        while not self._closed:
            seconds = min(_SLICE, max(0.5, deadline - time.monotonic()))
            call = self._make if verb == "make" else self._remove
            try:
                await loop.run_in_executor(self._thread, call, topic, place, seconds)
            except KafkaException as exception:
                error: KafkaError = exception.args[0]
                self._reachability.failed(error)
                if time.monotonic() > deadline or error.code() not in _TRY_AGAIN:
                    raise ChannelError(self._complaint(verb, topic, error)) from None
                await asyncio.sleep(_PAUSE)
            else:
                return self._reachability.answered()
        raise ChannelError("The task channel is closed.")

    def _complaint(self, verb: str, topic: str, error: KafkaError) -> str:
        if error.code() in NOT_ALLOWED:
            return (
                f"The Kafka broker {self._address.servers} forbids to {verb} the topic {topic}: allow it, "
                "or make the topics yourself and add create_topics=false to the address."
            )
        if error.code() not in _TRY_AGAIN:
            return (
                f"The Kafka broker {self._address.servers} did not {verb} the topic {topic}: {error.str()}."
            )
        return away(self._address, self._reachability)

    def _client(self) -> AdminClient:
        if self._admin is None:
            settings = self._address.client_settings | {"error_cb": self._reachability.failed}
            self._admin = AdminClient(settings)
        return self._admin

    def _make(self, topic: str, place: str, seconds: float) -> None:
        client = self._client()
        client.poll(0)
        if self._address.create_topics:
            new = NewTopic(
                topic,
                num_partitions=partitions_of(place, self._address.partitions),
                replication_factor=self._address.replication,
            )
            made = client.create_topics([new], operation_timeout=seconds, request_timeout=seconds)
            _wait(made[topic], KafkaError.TOPIC_ALREADY_EXISTS)
        found = client.list_topics(topic, timeout=seconds).topics[topic]
        if found.error is not None:
            raise KafkaException(found.error)
        if not found.partitions or any(each.leader < 0 for each in found.partitions.values()):
            raise KafkaException(KafkaError(KafkaError.LEADER_NOT_AVAILABLE))

    def _remove(self, topic: str, _: str, seconds: float) -> None:
        client = self._client()
        client.poll(0)
        removed = client.delete_topics([topic], operation_timeout=seconds, request_timeout=seconds)
        _wait(removed[topic], KafkaError.UNKNOWN_TOPIC_OR_PART)


def away(address: KafkaAddress, reachability: Reachability) -> str:
    """Say that no broker answers, or lets nobody in."""
    if reachability.refusal:
        return (
            f"The Kafka broker {address.servers} refuses the connection: {reachability.refusal}. "
            "Check user, password, sasl and TLS in the setting task_channel."
        )
    return (
        f"No Kafka broker answers at {address.servers}: check that it runs and that the setting task_channel "
        "has its address."
    )


def _wait(future: object, harmless: int) -> None:
    try:
        future.result()  # type: ignore[attr-defined]
    except KafkaException as exception:
        if exception.args[0].code() != harmless:
            raise
