"""Makes calls and takes their time."""

import asyncio
import time
from collections.abc import Sequence

import aiohttp
import msgspec

from benchmarks.dashboard.calls import Call

_WARM_UP = 7  # calls; PostgreSQL keeps the plan of a statement after five
_SPACED = 8  # calls, where there is a pause before each


class Timing(msgspec.Struct, frozen=True):
    """Milliseconds."""

    call: Call
    items: int | None  # that came; None: it is no list
    alone: list[float]
    together: list[float]  # four at a time

    def p95(self) -> float:
        return percentile(self.alone, 0.95)


def percentile(values: Sequence[float], share: float) -> float:
    """The value that so many are at or below, by rank."""
    ranked = sorted(values)
    return ranked[min(int(len(ranked) * share), len(ranked) - 1)]


async def measured(http: aiohttp.ClientSession, call: Call, requests: int) -> Timing:
    items = None
    if call.pause:
        alone = []
        for _ in range(_SPACED):
            await asyncio.sleep(call.pause)
            alone.append((await _made(http, call))[0])
        return Timing(call, None, alone, [])
    for _ in range(_WARM_UP):
        _, items = await _made(http, call)
    if call.expect is not None and items != call.expect:
        raise RuntimeError(f"{call.path} brought {items} items instead of {call.expect}")
    alone = [(await _made(http, call))[0] for _ in range(requests)]
    if call.method != "GET":
        return Timing(call, items, alone, [])

    async def one_of_four() -> list[float]:
        return [(await _made(http, call))[0] for _ in range(requests // 4)]

    together = await asyncio.gather(*(one_of_four() for _ in range(4)))
    return Timing(call, items, alone, [took for each in together for took in each])


async def _made(http: aiohttp.ClientSession, call: Call) -> tuple[float, int | None]:
    """How long it took, and how many items came. What is read of the answer afterwards does not count."""
    body = None if call.body is None else call.body()
    begun = time.perf_counter()
    async with http.request(call.method, call.path, json=body) as response:
        content = await (response.content.readuntil(b"\n\n") if call.stream else response.read())
        took = (time.perf_counter() - begun) * 1000
        if response.status >= 400:
            raise RuntimeError(f"{call.method} {call.path}: {response.status} {content[:500]!r}")
        if call.stream:
            response.close()
            return took, None
    answer = msgspec.json.decode(content)
    return took, len(answer["items"]) if isinstance(answer, dict) and "items" in answer else None
