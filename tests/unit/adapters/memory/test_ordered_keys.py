import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.adapters.memory.ordered_keys import OrderedKeys


@given(st.lists(st.integers(0, 50)), st.integers(-1, 51))
def test_it_is_a_sorted_list_of_what_was_added_and_not_removed(steps: list[int], key: int) -> None:
    keys: OrderedKeys[int] = OrderedKeys()
    model: list[int] = []
    for step in steps:
        if step in model:
            keys.remove(step)
            model.remove(step)
        else:
            keys.add(step)
            model.append(step)
        model.sort()
        assert list(keys) == model
    assert len(keys) == len(model)
    assert list(keys.above(key)) == [each for each in model if each > key]
    assert list(keys.below(key)) == [each for each in reversed(model) if each < key]
    assert list(keys.below()) == model[::-1]
    if model:
        assert keys.first() == model[0]


@pytest.mark.parametrize("seed", range(3))
def test_many_keys_in_many_chunks(seed: int) -> None:
    source = random.Random(seed)
    numbers = list(range(20_000))
    source.shuffle(numbers)
    keys = OrderedKeys(numbers[:5_000])
    for number in numbers[5_000:]:
        keys.add(number)
    gone = set(source.sample(numbers, 15_000))
    for number in gone:
        keys.remove(number)
    left = sorted(set(numbers) - gone)
    assert list(keys) == left
    for key in source.sample(range(-5, 20_005), 50):
        assert list(keys.above(key)) == [each for each in left if each > key]
        assert list(keys.below(key)) == [each for each in reversed(left) if each < key]


def test_a_key_that_is_not_there_cannot_be_removed() -> None:
    keys = OrderedKeys([1, 3])
    with pytest.raises(AssertionError, match="2 is not in the index"):
        keys.remove(2)
