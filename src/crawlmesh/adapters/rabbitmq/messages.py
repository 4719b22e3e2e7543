"""Messages of the port as messages of AMQP, and back."""

from collections.abc import Mapping
from typing import Any

from aiormq import spec

from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage

KEY_HEADER = "x-crawlmesh-key"
_PERSISTENT = 2
_LONGEST_NAME = 255  # bytes of an id, or of a header's name
_LONGEST_HEADERS = 100_000  # bytes; all of them travel in one frame of 128 KiB at most
_PRIORITIES = range(1, 11)


def properties_of(message: ChannelMessage) -> spec.Basic.Properties:
    """The properties to publish a message with. Raises ChannelError where AMQP cannot carry it."""
    headers = {**message.headers, KEY_HEADER: message.key} if message.key else message.headers
    names = [message.id, *headers]
    if any(not 0 < len(name.encode()) <= _LONGEST_NAME for name in names):
        raise ChannelError(
            f"An id or the name of a header has 1 to 255 bytes; message {message.id[:60]!r} has another"
        )
    if sum(len(name.encode()) + len(value.encode()) for name, value in headers.items()) > _LONGEST_HEADERS:
        raise ChannelError(
            f"The headers of message {message.id[:60]!r} have more than 100,000 bytes; use the body"
        )
    return spec.Basic.Properties(
        message_id=message.id,
        priority=_bounded(message.priority),
        delivery_mode=_PERSISTENT,
        headers=dict(headers),
    )


def message_of(properties: spec.Basic.Properties, body: bytes) -> ChannelMessage:
    """What came. The id is empty where another system gave none."""
    headers = {name: _text(value) for name, value in _headers(properties).items()}
    key = headers.pop(KEY_HEADER, "")
    priority = properties.priority
    return ChannelMessage(
        id=properties.message_id or "",
        body=body,
        key=key,
        priority=5 if priority is None else _bounded(priority),
        headers=headers,
    )


def _headers(properties: spec.Basic.Properties) -> Mapping[str, Any]:
    return properties.headers or {}


def _bounded(priority: int) -> int:
    return min(max(priority, _PRIORITIES[0]), _PRIORITIES[-1])


def _text(value: object) -> str:
    if isinstance(value, bytes | bytearray):
        return bytes(value).decode(errors="replace")
    return str(value)
