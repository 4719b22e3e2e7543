import hashlib
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlmesh.rules.bloom_sizing import (
    GROWTH,
    bit_places,
    expected_error_rate,
    filter_status,
    layers_begun,
    layers_of,
)

PLACES = (0, [19424, 18500, 17577, 16656, 15738, 14824, 13915, 13012, 12116])  # of bytes 0 to 15
CAPACITIES = st.integers(1, 10**9)
RATES = st.floats(1e-9, 0.1)


@given(CAPACITIES, RATES)
def test_all_layers_together_never_err_more_often_than_was_asked_for(capacity: int, rate: float) -> None:
    layers = layers_of(capacity, rate)
    assert sum(layer.error_rate for layer in layers) < rate
    assert expected_error_rate(layers, sum(layer.capacity for layer in layers)) < rate


@given(CAPACITIES, RATES)
def test_the_first_layer_is_for_what_was_asked_and_each_further_one_for_twice_as_many(
    capacity: int, rate: float
) -> None:
    layers = layers_of(capacity, rate)
    assert layers[0].capacity == capacity
    for smaller, larger in pairwise(layers):
        assert larger.capacity == smaller.capacity * GROWTH
        assert larger.error_rate < smaller.error_rate
    assert sum(layer.capacity for layer in layers) > 10**9


@given(CAPACITIES, RATES, st.integers(0, 10**12))
def test_a_filter_has_begun_just_the_layers_that_its_links_need(
    capacity: int, rate: float, count: int
) -> None:
    layers = layers_of(capacity, rate)
    begun = layers_begun(layers, count)
    assert sum(layer.capacity for layer in layers[: begun - 1]) < max(count, 1)
    assert begun == len(layers) or sum(layer.capacity for layer in layers[:begun]) >= count


@given(CAPACITIES, RATES, st.integers(0, 10**9), st.integers(0, 10**9))
def test_more_links_never_make_a_filter_smaller_or_surer(
    capacity: int, rate: float, count: int, more: int
) -> None:
    layers = layers_of(capacity, rate)
    before, after = filter_status(layers, count), filter_status(layers, count + more)
    assert before.count == count
    assert before.bytes <= after.bytes
    assert before.error_rate <= after.error_rate + 1e-15
    assert 0.0 <= before.fill <= 1.0 or before.layers == len(layers)


@pytest.mark.parametrize("capacity", [100_000, 1_000_000, 5_000_000, 100_000_000])
def test_a_full_filter_needs_less_than_four_bytes_a_link_until_it_has_grown_to_511_times(
    capacity: int,
) -> None:
    links = size = 0
    for layer in layers_of(capacity, 0.0001)[:9]:
        links += layer.capacity
        size += layer.bytes
        assert size / links < 3.7


@given(CAPACITIES, RATES)
@settings(max_examples=50)
def test_a_piece_fits_into_a_string_of_redis(capacity: int, rate: float) -> None:
    for layer in layers_of(capacity, rate):
        assert layer.piece_bits % 8 == 0
        assert layer.piece_bits <= 512 * 1024 * 8
        assert 1 <= layer.hashes <= 40


@given(st.binary(min_size=16, max_size=16), CAPACITIES, RATES)
def test_all_bits_of_a_fingerprint_lie_in_one_piece(fingerprint: bytes, capacity: int, rate: float) -> None:
    for layer in layers_of(capacity, rate)[:4]:
        piece, places = bit_places(fingerprint, layer)
        assert 0 <= piece < layer.pieces
        assert len(places) == layer.hashes
        assert all(0 <= place < layer.piece_bits for place in places)


def test_the_same_fingerprint_has_the_same_bits_for_ever() -> None:
    """Filters are kept by servers: what this test compares with must not change."""
    fingerprint = bytes(range(16))
    assert bit_places(fingerprint, layers_of(1_000, 0.0001)[0]) == PLACES


def test_bits_are_spread_evenly_over_pieces_and_places() -> None:
    layer = layers_of(1_000_000, 0.0001)[0]
    pieces = [0] * layer.pieces
    halves = [0, 0]
    for number in range(7_000):
        piece, places = bit_places(hashlib.blake2b(b"%d" % number, digest_size=16).digest(), layer)
        pieces[piece] += 1
        for place in places:
            halves[place * 2 // layer.piece_bits] += 1
    assert max(pieces) < 1.15 * 7_000 / layer.pieces
    assert abs(halves[0] - halves[1]) < 0.03 * sum(halves)
