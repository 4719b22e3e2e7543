"""Whether the message brokers answer."""

import logging

from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop

_INTERVAL = 2.0  # seconds
_PATIENCE = 2  # looks at a broker that does not answer until that is told

_log = logging.getLogger("crawlmesh.CHANNEL")


class WatchBrokers(LeaderLoop):
    """Tells when a broker is away and when it is back. The channels connect again by themselves."""

    hurries = False

    def __init__(self, context: ControlContext, lead: Lead) -> None:
        super().__init__(context, lead)
        brokers = {"task_channel": context.task_channel, "event_bus": context.event_bus}
        self._brokers = {use: broker for use, broker in brokers.items() if broker is not None}
        self._missed = dict.fromkeys(self._brokers, 0)  # looks in which it did not answer

    def interval(self) -> float:
        """Seconds between two looks."""
        return _INTERVAL

    async def run_once(self, now: float) -> int:  # noqa: ARG002
        """Returns how many went away or came back."""
        changed = 0
        for use, broker in self._brokers.items():
            was_away = self._missed[use] >= _PATIENCE
            self._missed[use] = 0 if broker.channel.is_connected else self._missed[use] + 1
            is_away = self._missed[use] >= _PATIENCE
            if is_away and not was_away:
                _log.warning("The %s %s does not answer; it is tried again", use, broker.address)
            elif was_away and not is_away:
                _log.info("The %s %s answers again", use, broker.address)
            changed += is_away != was_away
        return changed
