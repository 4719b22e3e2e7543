"""A host: the unit of politeness and of leasing."""

import msgspec


class RobotsFile(msgspec.Struct, frozen=True):
    """What a host answered for its robots.txt. `text` is None where nothing is disallowed."""

    fetched_at: float
    status: int | None  # None: unreachable
    text: str | None


class HostState(msgspec.Struct, frozen=True):
    """What the cluster knows about a host. The store enforces `delay` and `slots`.

    `slots` is how many requests may run at once over the whole cluster. While `exclusive` holds,
    one lease at a time has the host: so it is until its robots.txt is known, and while it has a delay.
    """

    host: str
    delay: float = 0.0  # seconds between two request starts
    slots: int = 4
    exclusive: bool = True
    robots: dict[str, RobotsFile] = {}  # by scheme
    pressure: float = 0.0  # seconds of delay that the adaptive rate added
    failures: int = 0  # in a row
    crawl_delay: float = 0.0  # seconds that robots.txt asks for, within the user's limit


class HostReport(msgspec.Struct, frozen=True):
    """What a worker learnt about a host; comes with a settlement or a renewal.

    `rest` is how long nobody may start a request there, counted from when the store takes it. None
    stands for the host's delay: whoever knows when the last request went out gives what is left of it.
    """

    rest: float | None = None  # seconds
    state: HostState | None = None  # None: as it was


class HostLimits(msgspec.Struct, frozen=True):
    """What a user laid down for a host. It holds for all crawls, and over what workers learn of the host.

    A delay only slows down: the longer one of this and the host's own holds. Slots may also be raised.
    """

    delay: float | None = None  # seconds between two request starts at least
    slots: int | None = None  # requests at once at most
    blocked: bool = False  # nothing is leased; links wait


class HostStatus(msgspec.Struct, frozen=True):
    """A host over all crawls of the store, for people to look at.

    `running`: slots of its live leases. `ready_in`: how long nobody is granted a lease of it.
    """

    host: str
    state: HostState
    limits: HostLimits
    queued: int = 0
    running: int = 0
    done: int = 0
    dead: int = 0
    mean_elapsed: float = 0.0  # seconds per settled request
    ready_in: float = 0.0  # seconds
