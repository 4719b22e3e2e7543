"""A member of a consumer group. It blocks, and belongs to one thread."""

import contextlib
import time
from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from crawlmesh.adapters.kafka.address import KafkaAddress
from crawlmesh.adapters.kafka.error_codes import NOT_ALLOWED
from crawlmesh.adapters.kafka.partition_offsets import Committed, PartitionOffsets
from crawlmesh.adapters.kafka.reachability import Reachability
from crawlmesh.adapters.kafka.records import to_message
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage

_WAIT = 0.1  # seconds for the next message; what was accepted meanwhile is committed after it
_AT_ONCE = 1_000  # messages of one read
_RETRY = 1.0  # seconds between tries of what went wrong
_HEARTBEAT = 1.0  # seconds; a consumer learns with it that the partitions are shared out anew
_LAST_COMMIT = 3.0  # seconds for what was accepted before closing
_BRIEFLY = 0.02  # seconds
_ASK = 5.0  # seconds for what the broker knows of a partition


class AssignedPartition:
    """One stay of a partition with this consumer; `is_lost` when another one has it."""

    def __init__(self, number: int, committed: Committed | None = None) -> None:
        self.number = number
        self.offsets = PartitionOffsets(committed)
        self.is_lost = False


class Fetched(NamedTuple):
    """A message, and where it came from."""

    partition: AssignedPartition
    offset: int
    message: ChannelMessage


class GroupReader:
    """Reads one topic together with the other members of the group.

    All but `accept` is called by one thread at a time.
    """

    def __init__(
        self, address: KafkaAddress, topic: str, group: str, prefetch: int, reachability: Reachability
    ) -> None:
        self._topic = topic
        self._servers = address.servers
        self._reachability = reachability
        self._partitions: dict[int, AssignedPartition] = {}
        self._accepted: deque[tuple[AssignedPartition, int]] = deque()
        self._spare: list[Message] = []  # came while there was no room
        self._is_paused = False
        self._is_committing = False
        self._commit_after = self._probe_after = 0.0
        self._consumer = Consumer(
            {
                **address.client_settings,
                "group.id": group,
                "enable.auto.commit": False,
                "enable.auto.offset.store": False,
                "auto.offset.reset": "earliest",
                "partition.assignment.strategy": "cooperative-sticky",
                "session.timeout.ms": int(address.session_timeout * 1_000),
                "heartbeat.interval.ms": int(min(_HEARTBEAT, address.session_timeout / 4) * 1_000),
                "topic.metadata.refresh.interval.ms": 5_000,
                "fetch.error.backoff.ms": 100,
                "fetch.wait.max.ms": 200,  # new partitions wait as long for the one before them
                "queued.min.messages": max(prefetch, 100),
                "queued.max.messages.kbytes": 16 * 1024,
                "error_cb": reachability.failed,
                "on_commit": self._on_commit,
            }
        )
        self._consumer.subscribe(
            [topic], on_assign=self._on_assign, on_revoke=self._on_revoke, on_lost=self._on_lost
        )

    def accept(self, partition: AssignedPartition, offset: int) -> None:
        """A message was taken care of; any thread may call this."""
        self._accepted.append((partition, offset))

    def read(self, room: int) -> list[Fetched]:
        """The next messages, no more than there is room for; waits a moment for the first.

        Raises ChannelError where the broker does not allow it.
        """
        self._keep_up()
        if self._is_paused:
            self._is_paused = False
            self._consumer.resume(self._assignment())
        if not self._spare:
            first = self._consumer.poll(_WAIT)
            if first is None:
                return []
            self._spare = [first]
            if room > 1:
                self._spare += self._consumer.consume(min(room, _AT_ONCE) - 1, 0)
        came, self._spare = self._spare[:room], self._spare[room:]
        return self._fetched(came)

    def stand_by(self) -> None:
        """Fetch nothing for now, but stay a member of the group."""
        self._keep_up()
        if not self._is_paused:
            self._is_paused = True
            self._consumer.pause(self._assignment())
        message = self._consumer.poll(0)
        if message is not None:
            self._spare.append(message)

    def close(self) -> None:
        """Commit what was accepted, where the broker is there for it, and leave the group."""
        with contextlib.suppress(KafkaException, ChannelError):
            self._consumer.pause(self._assignment())
            self._is_paused = True
            self._finish_commits()
        self._partitions.clear()
        if self._reachability.connected and not self._is_committing:
            with contextlib.suppress(KafkaException):
                self._consumer.close()
        # Otherwise it would wait for its last commit until the broker is back. Without a word to the group,
        # that learns of it when the session is over.
        del self._consumer

    def _assignment(self) -> list[TopicPartition]:
        return [TopicPartition(self._topic, number) for number in self._partitions]

    def _fetched(self, came: Sequence[Message]) -> list[Fetched]:
        fetched = []
        for record in came:
            error = record.error()
            if error is not None:
                self._judge(error)
                continue
            offset, partition = record.offset(), self._partition_of(record)
            if partition is not None and offset is not None and partition.offsets.take(offset):
                fetched.append(Fetched(partition, offset, to_message(record)))
        if fetched:
            self._reachability.answered()
        return fetched

    def _partition_of(self, record: Message) -> AssignedPartition | None:
        number, offset = record.partition(), record.offset()
        assert number is not None
        assert offset is not None
        partition = self._partitions.get(number)
        if partition is not None and partition.offsets.is_before(offset):  # the topic was made anew
            partition.is_lost = True
            partition = self._partitions[number] = AssignedPartition(number)
        return partition

    def _judge(self, error: KafkaError) -> None:
        self._reachability.failed(error)
        if error.code() in NOT_ALLOWED:
            raise ChannelError(
                f"The Kafka broker {self._servers} forbids to consume {self._topic}: {error.str()}. "
                "Allow the user to read the topics and groups that begin with 'crawlmesh.'."
            )

    def _keep_up(self) -> None:
        """What has to be done from time to time."""
        self._count_accepted()
        now = time.monotonic()
        if not self._reachability.connected and now >= self._probe_after:
            self._probe_after = now + _RETRY
            self._probe()
        if self._reachability.connected and not self._is_committing and now >= self._commit_after:
            self._commit(list(self._partitions.values()))

    def _probe(self) -> None:
        try:
            self._consumer.list_topics(self._topic, timeout=_RETRY)
        except KafkaException as exception:
            self._reachability.failed(exception.args[0])
        else:
            self._reachability.answered()

    def _count_accepted(self) -> None:
        while self._accepted:
            partition, offset = self._accepted.popleft()
            partition.offsets.accept(offset)

    def _finish_commits(self) -> None:
        self._count_accepted()
        self._probe()
        deadline = time.monotonic() + _LAST_COMMIT
        while self._reachability.connected and time.monotonic() < deadline:
            if not self._is_committing and not self._commit(list(self._partitions.values())):
                break
            self._consumer.poll(_BRIEFLY)

    def _commit(self, partitions: Sequence[AssignedPartition]) -> bool:
        """Tell the broker without waiting for its answer; False where it knows everything."""
        untold = self._untold(partitions)
        if untold:
            self._is_committing = True
            try:
                self._consumer.commit(offsets=untold, asynchronous=True)
            except KafkaException as exception:
                self._on_commit(exception.args[0], untold)
        return bool(untold)

    def _untold(self, partitions: Sequence[AssignedPartition]) -> list[TopicPartition]:
        found = []
        for partition in partitions:
            untold = partition.offsets.untold
            if untold is not None:
                partition.offsets.told(untold)
                found.append(TopicPartition(self._topic, partition.number, untold.offset, untold.note))
        return found

    def _on_commit(self, error: KafkaError | None, partitions: list[TopicPartition]) -> None:
        self._is_committing = False
        for each in partitions:
            problem = error or each.error
            if problem is None:
                continue
            self._reachability.failed(problem)
            self._commit_after = time.monotonic() + _RETRY
            if each.partition in self._partitions:
                self._partitions[each.partition].offsets.told(None)

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        known = {}
        with contextlib.suppress(KafkaException):  # without it, some that were accepted come again
            for each in consumer.committed(partitions, timeout=_ASK):
                if each.error is None and each.offset >= 0:
                    known[each.partition] = Committed(each.offset, each.metadata or "")
        for each in partitions:
            self._partitions[each.partition] = AssignedPartition(each.partition, known.get(each.partition))
        consumer.incremental_assign(partitions)
        if self._is_paused:
            consumer.pause(partitions)
        self._reachability.answered()

    def _on_revoke(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        self._count_accepted()
        self._commit(
            [self._partitions[each.partition] for each in partitions if each.partition in self._partitions]
        )
        self._on_lost(_, partitions)

    def _on_lost(self, _: Consumer, partitions: list[TopicPartition]) -> None:
        gone = {each.partition for each in partitions}
        self._spare = [message for message in self._spare if message.partition() not in gone]
        for number in gone:
            partition = self._partitions.pop(number, None)
            if partition is not None:
                partition.is_lost = True
