"""The garbage collector of a crawl process."""

import gc

_THRESHOLDS = (10_000, 20, 20)


def spare_long_lived_objects() -> None:
    """Keep the collector from walking through what lives as long as the process.

    The sets of known links have millions of members and no cycles, yet every full collection would look
    at each member: at two million known URLs that was a third of all processor time. To be called when
    these sets exist, before they fill.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
