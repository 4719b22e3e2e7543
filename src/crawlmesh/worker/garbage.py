"""The garbage collector of a process that lives long: one that crawls, or a master."""

import gc

_THRESHOLDS = (10_000, 20, 20)


def spare_long_lived_objects() -> None:
    """Keep the collector from walking through what lives as long as the process.

    The sets of known links have millions of members and no cycles, yet every full collection would look
    at each member: at two million known URLs that was a third of all processor time. To be called when
    these sets exist, before they fill. A master with 10,000 nodes stood still for a tenth of a second every
    five seconds.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


class GarbageCare:
    """Does so again when new crawls have brought new sets, but not too often: it holds everything up."""

    def __init__(self, interval: float = 60.0) -> None:
        self._interval = interval  # seconds
        self._last: float | None = None

    def new_crawl(self, now: float) -> None:
        """A crawl was added at this moment of the monotonic clock."""
        if self._last is None or now - self._last >= self._interval:
            self._last = now
            spare_long_lived_objects()
