from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlmesh.rules.consistent_hash import ConsistentHash

KEYS = [f"https://shop.example/product/{number}?page={number % 7}" for number in range(20_000)]
fleets = st.lists(st.text(min_size=1, max_size=20), min_size=2, max_size=10, unique=True)


def _spread(ring: ConsistentHash) -> list[str]:
    return [ring.get_node(key) or "" for key in KEYS]


@settings(max_examples=15, deadline=None)
@given(fleets)
def test_shares_differ_by_at_most_15_percent(nodes: list[str]) -> None:
    shares = Counter(_spread(ConsistentHash(nodes)))
    mean = len(KEYS) / len(nodes)
    assert all(0.85 * mean <= shares[node] <= 1.15 * mean for node in nodes)


@settings(max_examples=15, deadline=None)
@given(fleets)
def test_a_new_node_takes_its_share_and_nothing_else_moves(nodes: list[str]) -> None:
    *old, new = nodes
    ring = ConsistentHash(old)
    before = _spread(ring)
    ring.add_node(new)
    after = _spread(ring)
    moved = [where for was, where in zip(before, after, strict=True) if was != where]
    assert set(moved) == {new}
    assert len(moved) <= 1.3 / len(nodes) * len(KEYS)
    ring.remove_node(new)
    assert _spread(ring) == before


@given(st.lists(st.text(min_size=1, max_size=5), max_size=6), st.text())
def test_the_order_of_joining_does_not_matter(nodes: list[str], key: str) -> None:
    there, back = ConsistentHash(nodes, 10), ConsistentHash(reversed(nodes), 10)
    assert there.get_node(key) == back.get_node(key)
    assert there.nodes == frozenset(nodes)
    assert (there.get_node(key) is None) == (not nodes)


def test_it_is_the_same_in_every_process_for_ever() -> None:
    ring = ConsistentHash(["a", "b", "c"])
    assert [ring.get_node(f"key-{number}") for number in range(8)] == ["a", "b", "b", "c", "a", "a", "a", "c"]


def test_a_node_joins_and_leaves_once() -> None:
    ring = ConsistentHash(["a"])
    ring.add_node("a")
    ring.remove_node("a")
    ring.remove_node("a")
    assert ring.get_node("key") is None
    with pytest.raises(ValueError, match="virtual_nodes is 0"):
        ConsistentHash(virtual_nodes=0)
