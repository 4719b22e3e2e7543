"""Health checks: is the node really reached, and do its readings look well (N5)."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.model.node import Heartbeat, Node, NodeHealth, NodeStatus
from crawlmesh.model.query import NodeQuery
from crawlmesh.ports.node_probe import NodeProbe
from crawlmesh.rules import node_health

_PAGE = 500  # nodes that are asked at once
_PART = 50  # nodes that are judged at once
_REST = 2.0  # times as long as judging a part took: whoever asks the master meanwhile is not to notice
_MOST_HEARTBEATS = 100  # that are looked at for one node
_CHECKED = (NodeStatus.ONLINE, NodeStatus.DRAINING)


class HealthChecks(LeaderLoop):
    """Looks at all nodes that are online, many at once. A node that is not well gets no new work."""

    def __init__(self, context: ControlContext, lead: Lead, probe: NodeProbe) -> None:
        super().__init__(context, lead)
        self._probe = probe
        self._turns = asyncio.Semaphore(context.options.health_workers)

    def interval(self) -> float:
        """Seconds between two looks at all nodes."""
        return self.context.options.health_interval

    async def run_once(self, now: float) -> int:
        """Returns 0: a look at all nodes is complete."""
        clock = self.context.clock
        async for nodes in self._pages():
            self.lead.fence()
            answered = await asyncio.gather(*(self._reachable(node) for node in nodes))
            for begin in range(0, len(nodes), _PART):
                part = slice(begin, begin + _PART)
                begun = clock.monotonic()
                await self._record(nodes[part], answered[part], now)
                await asyncio.sleep(_REST * (clock.monotonic() - begun))
        return 0

    async def _record(self, nodes: Sequence[Node], answered: Sequence[bool | None], now: float) -> None:
        found = await self._judged(nodes, answered, now)
        store = self.context.store
        await store.record_health([(node.id, health) for node, health in found])
        events = [event for node, health in found for event in node_health.health_events(node, health, now)]
        if events:
            await store.append_events(events)

    async def _pages(self) -> AsyncIterator[tuple[Node, ...]]:
        cursor: str | None = None
        while True:
            page = await self.context.store.list_nodes(
                NodeQuery(statuses=_CHECKED, cursor=cursor, limit=_PAGE)
            )
            if page.nodes:
                yield page.nodes
            cursor = page.cursor
            if cursor is None:
                return

    async def _judged(
        self, nodes: Sequence[Node], answered: Sequence[bool | None], now: float
    ) -> list[tuple[Node, NodeHealth]]:
        options = self.context.options
        window = max(options.health_interval, 2 * options.heartbeat_interval)
        longest = max(window, (options.health.readings + 1) * options.heartbeat_interval)
        histories: dict[str, list[Heartbeat]] = {node.id: [] for node in nodes}
        for each in await self.context.store.heartbeats_of(list(histories), now - longest, _MOST_HEARTBEATS):
            histories[each.node_id].append(each)
        found = []
        for node, reached in zip(nodes, answered, strict=True):
            readings = node_health.summarize(histories[node.id], options.health.readings, now - window)
            found.append((node, node_health.judge(reached, node, readings, options.health, now)))
        return found

    async def _reachable(self, node: Node) -> bool | None:
        """None where it says no port to ask at."""
        if not node.port:
            return None
        async with self._turns:
            timeout = self.context.options.health_timeout
            return await self._probe.reachable(node.ip_address, node.port, timeout)
