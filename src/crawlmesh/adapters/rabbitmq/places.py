"""Places as queues: each has a durable one of its own, bound to the exchange that everything goes through."""

from aiormq import Channel

EXCHANGE = "crawlmesh"  # other systems bind queues of their own to it, by place
_MOST_URGENT = 10


def queue_of(place: str) -> str:
    """The name of a place's queue."""
    return f"crawlmesh.{place}"


async def declare_exchange(channel: Channel) -> None:
    """Make the exchange, unless it is there."""
    await channel.exchange_declare(EXCHANGE, exchange_type="topic", durable=True)


async def declare_place(channel: Channel, place: str) -> None:
    """Make a place's queue, unless it is there."""
    queue = queue_of(place)
    await channel.queue_declare(queue, durable=True, arguments={"x-max-priority": _MOST_URGENT})
    await channel.queue_bind(queue, EXCHANGE, routing_key=place)
