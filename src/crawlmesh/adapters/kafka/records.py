"""Messages as Kafka has them: a key, a value, and headers of bytes."""

from typing import NamedTuple

from confluent_kafka import Message

from crawlmesh.ports.task_channel import ChannelMessage

_ID = "x-crawlmesh-id"
_PRIORITY = "x-crawlmesh-priority"
_DEFAULT_PRIORITY = 5


class Record(NamedTuple):
    """What is produced."""

    key: bytes | None  # None spreads over the partitions
    value: bytes
    headers: list[tuple[str, str | bytes | None]]


def to_record(message: ChannelMessage) -> Record:
    """A record with everything that the message says."""
    headers: list[tuple[str, str | bytes | None]] = [
        (_ID, message.id.encode()),
        (_PRIORITY, str(message.priority).encode()),
    ]
    headers += [(name, value.encode()) for name, value in message.headers.items()]
    return Record(message.key.encode() or None, message.body, headers)


def to_message(record: Message) -> ChannelMessage:
    """The message of a record, also of one that another system wrote: then its offset makes the id."""
    headers = {name: _text(value) for name, value in _pairs(record)}
    return ChannelMessage(
        id=headers.pop(_ID, "") or f"{record.topic()}-{record.partition()}-{record.offset()}",
        body=record.value() or b"",
        key=_text(record.key()),
        priority=_priority(headers.pop(_PRIORITY, "")),
        headers=headers,
    )


def _pairs(record: Message) -> list[tuple[str, str | bytes | None]]:
    headers = record.headers() or []
    return list(headers.items()) if isinstance(headers, dict) else headers


def _priority(text: str) -> int:
    return min(max(int(text), 1), 10) if text.isdecimal() else _DEFAULT_PRIORITY


def _text(value: str | bytes | None) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value or ""
