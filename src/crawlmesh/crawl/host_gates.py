"""The gates of all hosts that this process knows."""

from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.model.host import HostState
from crawlmesh.ports.clock import Clock

_REMEMBERED_GATES = 20_000
_ROBOTS_LIFE = 86_400.0  # seconds after which a robots.txt is read again


class HostGates:
    """Finds the gate of a host, and forgets gates that nobody is at."""

    def __init__(self, clock: Clock, robots_agent: str) -> None:
        self._clock = clock
        self._robots_agent = robots_agent
        self._gates: dict[str, HostGate] = {}

    def of(self, state: HostState) -> HostGate:
        """The gate of a host, with what the store knows of it now."""
        robots_since = self._clock.now() - _ROBOTS_LIFE
        gate = self._gates.get(state.host)
        if gate is None:
            if len(self._gates) >= _REMEMBERED_GATES:
                self._gates = {name: gate for name, gate in self._gates.items() if gate.batches}
            gate = self._gates[state.host] = HostGate(state, self._robots_agent, robots_since)
        else:
            gate.adopt(state, robots_since)
        return gate
