import pytest
from aiormq import spec
from pamqp.common import FieldTable

from crawlmesh.adapters.rabbitmq.messages import message_of, properties_of
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage


def test_a_message_is_persistent_and_has_its_id_and_priority() -> None:
    properties = properties_of(ChannelMessage("id", b"", "key", 7, {"a": "1"}))
    assert (properties.message_id, properties.priority, properties.delivery_mode) == ("id", 7, 2)
    assert properties.headers == {"a": "1", "x-crawlmesh-key": "key"}


@pytest.mark.parametrize(("given", "carried"), [(-3, 1), (0, 1), (1, 1), (10, 10), (200, 10)])
def test_priorities_are_kept_within_bounds(given: int, carried: int) -> None:
    assert properties_of(ChannelMessage("id", b"", priority=given)).priority == carried
    assert message_of(spec.Basic.Properties(priority=given % 256), b"").priority <= 10


def test_what_other_systems_send_may_lack_everything() -> None:
    assert message_of(spec.Basic.Properties(), b"body") == ChannelMessage("", b"body")


def test_headers_of_other_systems_become_text() -> None:
    headers: FieldTable = {"number": 7, "flag": True, "bytes": b"\xff\x00", "list": [1, "a"]}
    message = message_of(spec.Basic.Properties(message_id="id", headers=headers), b"")
    assert message.headers == {"number": "7", "flag": "True", "bytes": "\ufffd\0", "list": "[1, 'a']"}


@pytest.mark.parametrize(
    ("message", "says"),
    [
        (ChannelMessage("", b""), "1 to 255 bytes"),
        (ChannelMessage("ü" * 128, b""), "1 to 255 bytes"),
        (ChannelMessage("id", b"", headers={"": "value"}), "1 to 255 bytes"),
        (ChannelMessage("id", b"", headers={"n" * 256: "value"}), "1 to 255 bytes"),
        (ChannelMessage("id", b"", headers={"name": "v" * 100_000}), "more than 100,000 bytes"),
        (ChannelMessage("id", b"", key="k" * 100_000), "more than 100,000 bytes"),
    ],
)
def test_what_amqp_cannot_carry_is_refused(message: ChannelMessage, says: str) -> None:
    with pytest.raises(ChannelError, match=says):
        properties_of(message)
