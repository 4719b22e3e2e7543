"""Numbers in words."""

from crawlmesh.model.crawl import FilterStatus

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def in_bytes(number: float) -> str:
    """A size for people."""
    for unit in _UNITS:
        if number < 1000 or unit == _UNITS[-1]:
            break
        number /= 1000
    return f"{number:.0f} {unit}" if unit == "bytes" else f"{number:.1f} {unit}"


def in_time(seconds: float) -> str:
    """A duration for people."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def filter_in_words(status: FilterStatus) -> str:
    """The Bloom filter of a crawl for people."""
    full = f"{status.fill:.0%} full{', will grow' if status.nearly_full else ''}"
    return (
        f"{full} ({status.count:,} of {status.capacity:,} links, {status.layers} layers, "
        f"{in_bytes(status.bytes)}, {status.error_rate:.4%} errors)"
    )
