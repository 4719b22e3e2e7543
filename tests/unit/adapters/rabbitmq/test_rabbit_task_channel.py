"""What is special to RabbitMQ; the contract of the port is in tests/conformance."""

import asyncio
from collections.abc import AsyncIterator
from uuid import uuid4

import aiormq
import pytest
import pytest_asyncio
from aiormq import Channel, spec

from crawlmesh.adapters.rabbitmq import connection, publisher
from crawlmesh.adapters.rabbitmq.task_channel import RabbitTaskChannel
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage
from crawlmesh.testing.servers.rabbitmq import RabbitServer

pytestmark = pytest.mark.xdist_group("rabbitmq")


@pytest.fixture
def place() -> str:
    return f"test.{uuid4().hex}"


@pytest_asyncio.fixture
async def channel(rabbitmq_server: RabbitServer) -> AsyncIterator[RabbitTaskChannel]:
    channel = RabbitTaskChannel(rabbitmq_server.address())
    yield channel
    await channel.aclose()


@pytest_asyncio.fixture
async def outside(rabbitmq_server: RabbitServer) -> AsyncIterator[Channel]:
    """A client that is not ours."""
    client = await aiormq.connect(rabbitmq_server.address())
    channel = await client.channel()
    assert isinstance(channel, Channel)
    yield channel
    await client.close()


async def test_another_system_publishes_to_the_queue(
    channel: RabbitTaskChannel, outside: Channel, place: str
) -> None:
    """Its message gets an id, and keeps it when it comes again."""
    deliveries = channel.consume(place, group="g")
    await channel.publish(place, [ChannelMessage("ours", b"")])
    await (await anext(deliveries)).accept()
    body = b'{"url": "https://a.example/"}'
    properties = spec.Basic.Properties(headers={"retries": 3}, priority=8)
    await outside.basic_publish(body, routing_key=f"crawlmesh.{place}", properties=without_id(properties))
    first = await anext(deliveries)
    assert first.message == ChannelMessage(first.message.id, body, priority=8, headers={"retries": "3"})
    assert first.message.id
    await first.release()
    again = await anext(deliveries)
    assert again.message == first.message
    await again.accept()


def without_id(properties: spec.Basic.Properties) -> spec.Basic.Properties:
    """The client of the test gives every message an id, unless it believes that there is one."""

    class Hidden(str):
        __slots__ = ()

        def __bool__(self) -> bool:
            return True

    properties.message_id = Hidden("")
    return properties


async def test_another_system_binds_a_queue_of_its_own(
    channel: RabbitTaskChannel, outside: Channel, place: str
) -> None:
    """It gets what is published at a place, and takes nothing from those who consume there."""
    await channel.publish(place, [ChannelMessage("before", b"")])
    queue = (await outside.queue_declare(exclusive=True)).queue
    assert queue is not None
    await outside.queue_bind(queue, "crawlmesh", routing_key=place)
    await channel.publish(place, [ChannelMessage("after", b"body", headers={"a": "1"})])
    copy = await outside.basic_get(queue, no_ack=True)
    assert (copy.header.properties.message_id, copy.body) == ("after", b"body")
    deliveries = channel.consume(place, group="g")
    assert [(await anext(deliveries)).message.id for _ in range(2)] == ["before", "after"]


async def test_a_wrong_password_is_said(rabbitmq_server: RabbitServer, place: str) -> None:
    channel = RabbitTaskChannel(rabbitmq_server.address(password="wr0ng"))
    with pytest.raises(ChannelError, match="refuses the user or the password") as caught:
        await channel.publish(place, [ChannelMessage("id", b"")])
    await channel.aclose()
    assert f"crawlmesh@127.0.0.1:{rabbitmq_server.port}" in str(caught.value)
    assert "wr0ng" not in str(caught.value)


async def test_an_unknown_virtual_host_is_said(rabbitmq_server: RabbitServer, place: str) -> None:
    channel = RabbitTaskChannel(f"{rabbitmq_server.address()}nowhere")
    with pytest.raises(ChannelError, match="/nowhere refuses the virtual host; add it"):
        await channel.publish(place, [ChannelMessage("id", b"")])
    await channel.aclose()


async def test_a_queue_that_somebody_made_otherwise_is_said(
    channel: RabbitTaskChannel, outside: Channel, place: str
) -> None:
    """And the channel goes on with other places."""
    await outside.queue_declare(f"crawlmesh.{place}", durable=True)
    with pytest.raises(ChannelError, match=r"x-max-priority.*; remove what has this name"):
        await channel.publish(place, [ChannelMessage("id", b"")])
    await channel.publish(f"{place}.other", [ChannelMessage("id", b"")])


async def test_a_broker_that_does_not_answer_is_said(
    channel: RabbitTaskChannel, rabbitmq_server: RabbitServer, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hangs, with its connections open. The next publishing connects anew."""
    await channel.publish(place, [ChannelMessage("before", b"")])
    monkeypatch.setattr(publisher, "CONFIRM_TIMEOUT", 0.5)
    monkeypatch.setattr(connection, "CLOSE_TIMEOUT", 0.5)
    rabbitmq_server.freeze()
    try:
        with pytest.raises(ChannelError, match="does not answer"):
            await channel.publish(place, [ChannelMessage("hanging", b"")])
        assert not channel.is_connected
    finally:
        rabbitmq_server.thaw()
    monkeypatch.undo()
    await channel.publish(place, [ChannelMessage("after", b"")])
    assert channel.is_connected


async def test_an_orderly_restart_ends_no_consumer(
    channel: RabbitTaskChannel, rabbitmq_server: RabbitServer, place: str
) -> None:
    await channel.publish(place, [ChannelMessage("one", b"")])
    deliveries = channel.consume(place, group="g")
    held = await anext(deliveries)
    await asyncio.to_thread(rabbitmq_server.restart)
    again = await anext(deliveries)
    assert again.message == held.message
    await held.accept()
    await again.accept()


async def test_a_consumer_whose_queue_was_removed_makes_it_again(
    channel: RabbitTaskChannel, outside: Channel, place: str
) -> None:
    """As after a mistake of an operator."""
    await channel.publish(place, [ChannelMessage("one", b"")])
    deliveries = channel.consume(place, group="g")
    await (await anext(deliveries)).accept()
    await outside.queue_delete(f"crawlmesh.{place}")
    await channel.publish(place, [ChannelMessage("two", b"")])
    assert (await anext(deliveries)).message.id == "two"
