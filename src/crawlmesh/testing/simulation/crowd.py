"""A crowd of coroutines that get in each other's way, without the cost of an asyncio task for each."""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any


async def run_crowd(members: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Let each go on up to its next `asyncio.sleep(0)`, one after the other, until all are through.

    That is the order in which asyncio would run them. They may not wait for anything else.
    """
    waiting = list(members)
    try:
        while waiting:
            waiting = [member for member in waiting if _goes_on(member)]
            await asyncio.sleep(0)
    finally:
        for member in waiting:
            member.close()


def _goes_on(member: Coroutine[Any, Any, None]) -> bool:
    """Whether it has more to do."""
    try:
        awaited = member.send(None)
    except StopIteration:
        return False
    if awaited is not None:
        raise RuntimeError(f"a member of the crowd waits for {awaited!r}, which would never come")
    return True
