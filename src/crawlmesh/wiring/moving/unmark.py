"""Giving up a move, or going on with a store that was left."""

from contextlib import AsyncExitStack

from crawlmesh.ports.move_marks import MoveRole
from crawlmesh.wiring.moving.ends import CONTROL, CRAWL, ends_of
from crawlmesh.wiring.moving.marks import marks_of
from crawlmesh.wiring.moving.transfers import open_control_transfer, open_crawl_transfer


async def unmark(address: str) -> list[str]:
    """Take the marks of the stores at an address away; what a broken move left there goes first.

    Returns what was done, in sentences.
    """
    ends = ends_of(address, "--unmark", "", None, is_source=True)
    done = []
    for part in (CONTROL, CRAWL):
        place = ends.of(part)
        mark = None if place is None else await marks_of(place, part).read()
        if place is None or mark is None:
            continue
        if mark.role is MoveRole.ARRIVING:
            await _clear(place, part)
            done.append(f"What had arrived of the {part} data from {mark.other} was deleted.")
        await marks_of(place, part).clear()
        done.append(f"The mark of the {part} data is gone: masters may use it.")
    return done or ["There is no mark."]


async def _clear(address: str, part: str) -> None:
    async with AsyncExitStack() as closing:
        if part == CONTROL:
            await (await open_control_transfer(address, closing, is_source=False)).clear()
        else:
            await (await open_crawl_transfer(address, closing, is_source=False)).clear()
