"""How large a Bloom filter must be, how it grows, and which bits a fingerprint has in it.

A filter is a row of layers. The first is made for the links that the user expects; each further one holds
twice as many and errs less often, so that the rates of all layers together stay below what was asked for,
however many there are. Links go into the newest layer; when it has as many as it was made for, another one
begins.

In Redis, a layer is cut into pieces of equal size and a fingerprint has all its bits in one of them. So a
piece fits into one string, and a link needs one command.
"""

import math
from collections.abc import Iterator
from struct import Struct

import msgspec

from crawlmesh.model.crawl import FilterStatus

GROWTH = 2  # links of a layer, by those of the layer before
TIGHTENING = 0.8  # error rate of a layer, by that of the layer before; the first has 1 - 0.8 of the whole

_MOST_LAYERS = 40
_MOST_LINKS = 10**13
_HASHES_OF_OPTIMUM = 0.58  # fewer hashes than would need fewest bits: 11 % more bits, 40 % faster
_SMALLEST_PIECE_BITS = 8_192
_LARGEST_PIECE_BITS = (512 * 1024 - 64) * 8  # with its header, half a megabyte for the allocator of Redis
_WHOLE_PIECES = 20  # from so many on all have the largest size: that wastes a twentieth at most

_words = Struct("<III4x").unpack


class Layer(msgspec.Struct, frozen=True, array_like=True):
    """One layer of a filter."""

    capacity: int  # links
    hashes: int  # bits of each link
    pieces: int
    piece_bits: int  # a multiple of 8
    error_rate: float  # when it is full

    @property
    def bytes(self) -> int:
        """Of all pieces."""
        return self.pieces * self.piece_bits // 8


def layers_of(capacity: int, error_rate: float) -> list[Layer]:
    """All layers that a filter can come to have, in their order: far more than anybody will fill."""
    return list(_layers(capacity, error_rate))


def bit_places(fingerprint: bytes, layer: Layer) -> tuple[int, list[int]]:
    """The piece of a layer and the bits in it that a fingerprint of 16 bytes has.

    The fingerprint is a good hash already, so its words serve as the hashes of enhanced double hashing. All
    numbers stay below 2**53, so that Lua finds the same places.
    """
    place, step, chooser = _words(fingerprint)
    places = []
    for number in range(1, layer.hashes + 1):
        places.append(place % layer.piece_bits)
        place += step
        step += number
    return chooser % layer.pieces, places


def filter_status(layers: list[Layer], count: int) -> FilterStatus:
    """What a filter with so many links is like."""
    begun = layers_begun(layers, count)
    return FilterStatus(
        capacity=sum(layer.capacity for layer in layers[:begun]),
        count=count,
        layers=begun,
        bytes=sum(layer.bytes for layer in layers[:begun]),
        error_rate=expected_error_rate(layers, count),
    )


def layers_begun(layers: list[Layer], count: int) -> int:
    """How many layers so many links need; a layer begins with its first link, the first one at once."""
    for number, layer in enumerate(layers, 1):
        count -= layer.capacity
        if count <= 0:
            return number
    return len(layers)


def expected_error_rate(layers: list[Layer], count: int) -> float:
    """How likely a new link is taken for a known one when the filter has so many links."""
    right = 1.0
    for layer in layers:
        if count <= 0:
            break
        held = count if layer is layers[-1] else min(count, layer.capacity)
        right *= 1.0 - _layer_error_rate(layer, held)
        count -= held
    return 1.0 - right


def _layers(capacity: int, error_rate: float) -> Iterator[Layer]:
    total, layer_rate = 0, error_rate * (1.0 - TIGHTENING)
    for _ in range(_MOST_LAYERS):
        yield _layer(capacity, layer_rate)
        total += capacity
        if total > _MOST_LINKS:
            return
        capacity, layer_rate = capacity * GROWTH, layer_rate * TIGHTENING


def _layer(capacity: int, error_rate: float) -> Layer:
    hashes = max(1, round(_HASHES_OF_OPTIMUM * math.log2(1.0 / error_rate)))
    bits = math.ceil(capacity * -hashes / math.log1p(-(error_rate ** (1.0 / hashes))))
    pieces = math.ceil(bits / _LARGEST_PIECE_BITS)
    if pieces >= _WHOLE_PIECES:
        return Layer(capacity, hashes, pieces, _LARGEST_PIECE_BITS, error_rate)
    piece_bits = max(_SMALLEST_PIECE_BITS, math.ceil(bits / pieces / 8) * 8)
    return Layer(capacity, hashes, pieces, piece_bits, error_rate)


def _layer_error_rate(layer: Layer, held: int) -> float:
    load = layer.hashes * held / (layer.pieces * layer.piece_bits)
    return float((-math.expm1(-load)) ** layer.hashes)
