"""Nodes that went silent: their work is given to others at once (N6)."""

import logging

from crawlmesh.control.context import ControlContext
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.releasing import lose_work
from crawlmesh.model.change import NodeChange
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.rules import node_lifecycle

_BATCH = 500
_EXPECTED = (NodeStatus.ONLINE, NodeStatus.DRAINING, NodeStatus.PENDING)
_GIVEN_UP = frozenset({NodeStatus.UNRESPONSIVE, NodeStatus.OFFLINE})

_log = logging.getLogger("crawlmesh.RECOVER")


class HeartbeatTimeouts(LeaderLoop):
    """online → unresponsive → offline; and nothing stays with a node that is neither.

    A node in maintenance stays there, and loses its work all the same. Silence counts from when this master
    was there to hear: what was away was perhaps not the nodes but the masters.

    The sweep also finds what a master that died half-way left behind, and what was placed on a node in
    the moment in which it went: both sit on a node that is given up, or that nobody knows.
    """

    def __init__(self, context: ControlContext, lead: Lead, fleet_view: FleetView) -> None:
        super().__init__(context, lead)
        self._fleet_view = fleet_view

    def interval(self) -> float:
        """Seconds between two looks: a silence is noticed at most a third of the time-out late."""
        options = self.context.options
        return min(options.timeout_check_interval, max(options.heartbeat_timeout / 3, 0.05))

    async def run_once(self, now: float) -> int:
        """Returns how many nodes were given up."""
        silent = await self._give_up_silent(now)
        await self._give_up_for_good(now)
        await self._sweep(now)
        return silent

    async def _give_up_silent(self, now: float) -> int:
        before = now - self.context.options.heartbeat_timeout
        if self.lead.listening_since >= before:
            return 0
        nodes = await self.context.store.silent_nodes(_EXPECTED, before, _BATCH)
        changes = [node_lifecycle.silent(node, now) for node in nodes]
        given_up = await self._change(changes)
        for node in given_up:
            self._fleet_view.saw(node)
            lost = await lose_work(self.context, node, self.lead.fence)
            _log.warning("node %s is silent; %d executions go to others", node.id, lost)
        return len(given_up)

    async def _give_up_for_good(self, now: float) -> None:
        options = self.context.options
        before = now - max(options.device_timeout, options.heartbeat_timeout)
        nodes = await self.context.store.silent_nodes((NodeStatus.UNRESPONSIVE,), before, _BATCH)
        for node in await self._change([node_lifecycle.gone(node, now) for node in nodes]):
            _log.warning("node %s was silent for %g seconds and is offline", node.id, options.device_timeout)

    async def _change(self, changes: list[NodeChange]) -> list[Node]:
        if not changes:
            return []
        taken = await self.context.store.change_nodes(
            changes, leader_fence=self.lead.fence(), now=self.context.clock.now()
        )
        return [change.node for change, done in zip(changes, taken, strict=True) if done]

    async def _sweep(self, now: float) -> None:
        """Take away what runs on nodes that are given up, gone, or in maintenance and silent."""
        await self._fleet_view.refresh_nodes()
        for node_id in await self.context.store.node_loads():
            known = self._fleet_view.nodes.get(node_id)
            if known is not None and not self._is_given_up(known, now):
                continue
            node = await self.context.store.node(node_id)
            if node is None:
                node = known or Node(id=node_id, identity=node_id, name=node_id)
            elif not self._is_given_up(node, now):
                continue
            await lose_work(self.context, node, self.lead.fence)

    def _is_given_up(self, node: Node, now: float) -> bool:
        if node.status is not NodeStatus.MAINTENANCE:
            return node.status in _GIVEN_UP
        heard_at = max(node.last_heartbeat or 0.0, self.lead.listening_since)
        return heard_at < now - self.context.options.heartbeat_timeout
