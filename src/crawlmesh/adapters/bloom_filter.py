"""A Bloom filter in the process's memory, for every store that one process owns."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from crawlmesh.model.crawl import Crawl, Dedup, FilterStatus
from crawlmesh.rules.bloom_sizing import Layer, filter_status, layers_of

if TYPE_CHECKING:
    from rbloom import Bloom


class ScalableBloomFilter:
    """Fingerprints that are known, as a set has them, in about 3 bytes each; a few new ones seem to be known.

    It grows by layers (see `crawlmesh.rules.bloom_sizing`). The same fingerprints in the same order make the
    same filter, so it need not be kept where they are.
    """

    __slots__ = ("_filters", "_layers", "_room", "count")

    def __init__(self, capacity: int, error_rate: float) -> None:
        """Made for so many links at first, and for this rate of errors however many there will be."""
        self._layers = layers_of(capacity, error_rate)
        self._filters: list[Bloom] = []
        self._room = 0
        self.count = 0
        self._begin_layer()

    def __contains__(self, fingerprint: bytes) -> bool:
        """Whether it was added, or is taken for one that was."""
        number = _number(fingerprint)
        for part in self._filters:  # noqa: SIM110 - a generator would take as long as the question
            if number in part:
                return True
        return False

    def add(self, fingerprint: bytes) -> None:
        """Make it known; it must not be known already, as far as the filter can say."""
        if not self._room:
            self._begin_layer()
        self._filters[0].add(_number(fingerprint))
        self._room -= 1
        self.count += 1

    def add_new(self, fingerprints: Sequence[bytes]) -> list[bool]:
        """Add fingerprints. One bool each: whether it was new."""
        answers = []
        for fingerprint in fingerprints:
            new = fingerprint not in self
            if new:
                self.add(fingerprint)
            answers.append(new)
        return answers

    def update(self, fingerprints: Iterable[bytes]) -> None:
        """Add fingerprints that are all different and were new once, in the order of that time."""
        numbers = [_number(fingerprint) for fingerprint in fingerprints]
        begun = 0
        while begun < len(numbers):
            if not self._room:
                self._begin_layer()
            fitting = numbers[begun : begun + self._room]
            self._filters[0].update(fitting)
            self._room -= len(fitting)
            self.count += len(fitting)
            begun += len(fitting)

    def status(self) -> FilterStatus:
        """How full it is, and how large."""
        return _status(self._layers, self.count)

    def _begin_layer(self) -> None:
        layer = self._layers[min(len(self._filters), len(self._layers) - 1)]
        self._filters.insert(0, _bloom(layer))  # the newest is asked first: it has half of all links
        self._room = layer.capacity


def filter_of(crawl: Crawl) -> ScalableBloomFilter | None:
    """The empty filter of a crawl, where it wants one."""
    if crawl.dedup is not Dedup.BLOOM:
        return None
    return ScalableBloomFilter(crawl.filter_capacity, crawl.filter_error_rate)


def status_of(crawl: Crawl, count: int) -> FilterStatus:
    """What the filter of a crawl with so many links is like, for who does not have it in memory."""
    return _status(layers_of(crawl.filter_capacity, crawl.filter_error_rate), count)


def _status(layers: list[Layer], count: int) -> FilterStatus:
    status = filter_status(layers, count)
    return msgspec.structs.replace(status, bytes=sum(map(_bytes, layers[: status.layers])))


def _bytes(layer: Layer) -> int:
    """What `rbloom` allocates: as many bits as the error rate needs at least."""
    bits = int(-layer.capacity * math.log(layer.error_rate) / math.log(2) ** 2)
    return math.ceil(bits / 8)


def _bloom(layer: Layer) -> "Bloom":
    from rbloom import Bloom  # noqa: PLC0415 - only where a crawl wants it

    return Bloom(layer.capacity, layer.error_rate, hash_func=int)


def _number(fingerprint: bytes) -> int:
    """The fingerprint as the hash that it is: a whole number of 128 bits with a sign."""
    return int.from_bytes(fingerprint, "little", signed=True)
