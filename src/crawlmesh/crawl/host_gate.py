"""The gate of a host: when this process may send it the next request."""

from crawlmesh.crawl.pace import HostPace
from crawlmesh.model.host import HostLimits, HostState, RobotsFile
from crawlmesh.rules.host_limits import limited
from crawlmesh.rules.politeness import PolitenessLimits, paced
from crawlmesh.rules.robots import RobotsRules


class HostGate:
    """Politeness towards one host, shared by all its batches in this process.

    `next_start` and `down_until` are on the monotonic clock; `robots_since` is Unix time: older files are
    read again.
    """

    __slots__ = (
        "_robots_agent",
        "batches",
        "down_until",
        "limits",
        "next_start",
        "pace",
        "robots",
        "robots_under_way",
        "state",
    )

    def __init__(self, state: HostState, robots_agent: str, robots_since: float) -> None:
        self._robots_agent = robots_agent
        self.state = state  # without the limits: it is what the store is told
        self.limits = HostLimits()  # of a user, as the latest lease brought them
        self.pace = HostPace(0.0, state.slots)  # that the crawls at work here want
        self.next_start = 0.0
        self.down_until = 0.0  # the host is dead; its links are given up without asking
        self.batches = 0
        self.robots: dict[str, RobotsRules] = {}  # by scheme
        self.robots_under_way: set[str] = set()  # schemes
        self._read_robots({}, robots_since)

    @property
    def delay(self) -> float:
        """Seconds between two request starts."""
        return max(self.state.delay, self.limits.delay or 0.0)

    @property
    def slots(self) -> int:
        """Requests at once."""
        return limited(self.state, self.limits).slots

    def adopt(self, state: HostState, robots_since: float) -> None:
        """Take over what the store knows, which other workers may have changed."""
        if self.batches:
            return
        known = self.state.robots
        self.state = state
        self.robots = {
            scheme: rules
            for scheme, rules in self.robots.items()
            if not rules.unavailable and self._is_fresh(scheme, robots_since)
        }
        self._read_robots(known, robots_since)

    def want(self, pace: HostPace, limits: PolitenessLimits) -> None:
        """Keep to a pace: that of the only batch here, or the gentlest of all that are at work."""
        if not self.batches:
            self.pace = pace
        elif pace != self.pace:
            self.pace = self.pace.and_also(pace)
            self.state = paced(self.state, self.pace.delay, self.pace.per_host, limits)

    def learn_robots(self, scheme: str, rules: RobotsRules, state: HostState) -> None:
        """Keep what was just read."""
        self.state = state
        self.robots[scheme] = rules
        self.robots_under_way.discard(scheme)

    def started(self, now: float) -> None:
        """A request goes out now, or as soon as there is a connection."""
        self.next_start = now + self.delay

    def sent(self, moment: float) -> None:
        """A request went out at this moment: from then on counts the host's delay."""
        self.next_start = max(self.next_start, moment + self.delay)

    def rest(self, now: float, seconds: float) -> None:
        """Send nothing for a while."""
        self.next_start = max(self.next_start, now + seconds)

    def _is_fresh(self, scheme: str, robots_since: float) -> bool:
        file = self.state.robots.get(scheme)
        return file is None or file.fetched_at >= robots_since

    def _read_robots(self, known: dict[str, RobotsFile], robots_since: float) -> None:
        for scheme, file in self.state.robots.items():
            if file.fetched_at < robots_since or (known.get(scheme) == file and scheme in self.robots):
                continue
            rules = RobotsRules(file.status, file.text, self._robots_agent)
            if not rules.unavailable:
                self.robots[scheme] = rules
