"""A consumer in a process of its own, that can be killed: prints what comes, and takes care of nothing.

Run as a module: OPENER ADDRESS PLACE GROUP NUMBER. It opens the channel with "module:function", takes as many
deliveries, prints the id of each, and then waits for its end.
"""

import asyncio
import importlib
import sys

from crawlmesh.ports.task_channel import TaskChannel


async def open_by_name(opener: str, address: str) -> TaskChannel:
    """The channel that the async function with this name makes of an address."""
    module, _, function = opener.partition(":")
    channel: TaskChannel = await getattr(importlib.import_module(module), function)(address)
    return channel


async def main(opener: str, address: str, place: str, group: str, number: str) -> None:
    """Take deliveries and hold them."""
    channel = await open_by_name(opener, address)
    deliveries = channel.consume(place, group=group, prefetch=int(number))
    for _ in range(int(number)):
        delivery = await anext(deliveries)
        sys.stdout.write(f"{delivery.message.id}\n")
        sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
