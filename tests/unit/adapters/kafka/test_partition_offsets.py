import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.adapters.kafka.partition_offsets import Committed, PartitionOffsets

OFFSETS = st.lists(st.integers(0, 10_000), unique=True, min_size=1, max_size=200).map(sorted)


def test_nothing_is_told_before_anything_came() -> None:
    assert PartitionOffsets().untold is None
    assert PartitionOffsets(Committed(7)).untold is None


def test_the_first_that_is_not_accepted_holds_the_number_back() -> None:
    offsets = PartitionOffsets()
    for offset in range(5):
        assert offsets.take(offset)
    for offset in (1, 2, 4):
        offsets.accept(offset)
    assert told(offsets).offset == 0
    offsets.accept(0)
    assert told(offsets).offset == 3
    offsets.accept(3)
    assert told(offsets) == Committed(5)


def test_what_was_told_is_told_once_and_again_after_a_failure() -> None:
    offsets = PartitionOffsets()
    offsets.take(0)
    offsets.accept(0)
    offsets.told(told(offsets))
    assert offsets.untold is None
    offsets.told(None)
    assert told(offsets) == Committed(1)


def test_gaps_between_offsets_are_fine() -> None:
    offsets = PartitionOffsets()
    for offset in (3, 10, 400):
        offsets.take(offset)
    offsets.accept(3)
    assert told(offsets).offset == 10
    offsets.accept(10)
    offsets.accept(400)
    assert told(offsets) == Committed(401)


def test_an_offset_that_lies_behind_is_noticed() -> None:
    offsets = PartitionOffsets()
    assert not offsets.is_before(0)
    offsets.take(5)
    assert offsets.is_before(5)
    assert not offsets.is_before(6)


@pytest.mark.parametrize("note", ["", "by another tool", "crawlmesh1", "crawlmesh1 zz 1", "crawlmesh9 5 0"])
def test_a_note_that_nobody_understands_means_nothing(note: str) -> None:
    offsets = PartitionOffsets(Committed(10, note))
    assert [offset for offset in range(10, 20) if offsets.take(offset)] == list(range(10, 20))


@given(OFFSETS, st.data())
def test_the_number_is_that_of_the_first_not_accepted(came: list[int], data: st.DataObject) -> None:
    accepted = set(data.draw(st.lists(st.sampled_from(came), unique=True)))
    offsets = PartitionOffsets()
    for offset in came:
        offsets.take(offset)
    for offset in data.draw(st.permutations(sorted(accepted))):
        offsets.accept(offset)
        offsets.accept(offset)
    left = [offset for offset in came if offset not in accepted]
    assert told(offsets).offset == (left[0] if left else came[-1] + 1)


@given(OFFSETS, st.data())
def test_the_next_consumer_gets_what_is_left_and_nothing_else(came: list[int], data: st.DataObject) -> None:
    """Over any number of consumers, each of which takes some, accepts some of them, and leaves."""
    missing, committed = set(came), Committed(came[0])
    for _ in range(data.draw(st.integers(1, 4))):
        offsets = PartitionOffsets(committed)
        to_come = [offset for offset in came if offset >= committed.offset]
        reach = data.draw(st.integers(0, len(to_come)))
        got = [offset for offset in to_come[:reach] if offsets.take(offset)]
        assert got == [offset for offset in to_come[:reach] if offset in missing]
        accepted = set(data.draw(st.lists(st.sampled_from(got), unique=True))) if got else set()
        for offset in accepted:
            offsets.accept(offset)
        missing -= accepted
        committed = offsets.untold or committed
        assert committed.offset <= min(missing, default=came[-1] + 1)


@given(st.integers(0, 2**62), st.integers(1_000, 4_000))
def test_a_note_that_would_be_too_long_lets_some_come_again(first: int, number: int) -> None:
    """None that is left is ever forgotten."""
    offsets = PartitionOffsets()
    for offset in range(first, first + 2 * number):
        offsets.take(offset)
        if offset % 2:
            offsets.accept(offset)
    committed = told(offsets)
    assert len(committed.note) <= 3_600
    after = PartitionOffsets(committed)
    again = [offset for offset in range(committed.offset, first + 2 * number) if after.take(offset)]
    left = [offset for offset in range(first, first + 2 * number) if offset % 2 == 0]
    assert set(again) >= set(left)
    assert len(again) < 2 * number


def told(offsets: PartitionOffsets) -> Committed:
    committed = offsets.untold
    assert committed is not None
    return committed
