"""Dead letters: what was rejected is kept apart, whole, with the reason."""

import asyncio

from crawlmesh.ports.task_channel import (
    PLACE_HEADER,
    REASON_HEADER,
    REASON_LENGTH,
    ChannelMessage,
    TaskChannel,
    dead_letters_of,
)
from crawlmesh.testing.conformance.task_channel.case import (
    TaskChannelCase,
    accept,
    assert_empty,
    consume,
    ids,
    message,
    messages,
    take,
    take_one,
)


class DeadLetters(TaskChannelCase):
    """`reject`."""

    async def test_a_rejected_message_lies_with_the_dead_letters(
        self, channel: TaskChannel, place: str
    ) -> None:
        """Same id, body, key and headers; reason and place beside them; and it does not come again."""
        sent = message("not { json", key="key", priority=7, headers={"a": "1", "b": "ü"})
        await channel.publish(place, [sent])
        deliveries = consume(channel, place)
        await (await take_one(deliveries)).reject("the body is not JSON: “{”")
        await deliveries.aclose()
        dead = (await accept(consume(channel, dead_letters_of(place)), 1))[0]
        assert (dead.id, dead.body, dead.key) == (sent.id, sent.body, sent.key)
        beside = {REASON_HEADER: "the body is not JSON: “{”", PLACE_HEADER: place}
        assert dead.headers == sent.headers | beside
        await assert_empty(channel, place)

    async def test_rejecting_twice_is_fine(self, channel: TaskChannel, place: str) -> None:
        """There is one dead letter."""
        await channel.publish(place, messages(1))
        deliveries = consume(channel, place)
        delivery = await take_one(deliveries)
        await delivery.reject("first")
        await delivery.reject("second")
        await delivery.accept()
        await delivery.release()
        await deliveries.aclose()
        dead = await accept(consume(channel, dead_letters_of(place)), 1)
        assert [each.headers[REASON_HEADER] for each in dead] == ["first"]
        await assert_empty(channel, place)

    async def test_a_long_reason_is_cut(self, channel: TaskChannel, place: str) -> None:
        """No reason is too long, nor strange in another way."""
        reason = "line\none\r\n\0" + "ü" * 200_000
        await channel.publish(place, messages(1))
        await (await take_one(consume(channel, place))).reject(reason)
        dead = (await accept(consume(channel, dead_letters_of(place)), 1))[0]
        assert dead.headers[REASON_HEADER] == reason[:REASON_LENGTH]

    async def test_many_are_rejected_at_once(self, channel: TaskChannel, place: str) -> None:
        """While others are accepted."""
        await channel.publish(place, messages(100))
        deliveries = consume(channel, place)
        taken = await take(deliveries, 100)
        bad, good = taken[::2], taken[1::2]
        calls = [delivery.reject(f"bad {delivery.message.id}") for delivery in bad]
        await asyncio.gather(*calls, *(delivery.accept() for delivery in good))
        await deliveries.aclose()
        dead = await accept(consume(channel, dead_letters_of(place)), 50)
        assert {each.id: each.headers[REASON_HEADER] for each in dead} == {
            each.message.id: f"bad {each.message.id}" for each in bad
        }
        await assert_empty(channel, place)

    async def test_a_dead_letter_can_be_published_again(self, channel: TaskChannel, place: str) -> None:
        """And be rejected again, for another reason."""
        sent = message()
        await channel.publish(place, [sent])
        deliveries, dead_letters = consume(channel, place), consume(channel, dead_letters_of(place))
        reasons: list[str] = []
        for reason in ("first", "second"):
            await (await take_one(deliveries)).reject(reason)
            dead = (await accept(dead_letters, 1))[0]
            reasons.append(dead.headers[REASON_HEADER])
            await channel.publish(place, [ChannelMessage(dead.id, dead.body, dead.key, headers=dead.headers)])
        assert reasons == ["first", "second"]
        assert ids(await accept(deliveries, 1)) == {sent.id}
