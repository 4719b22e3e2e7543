from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.rules.placement.pick_list import PickList


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 5))))
def test_it_holds_what_a_set_holds(steps: list[tuple[bool, int]]) -> None:
    picks, model = PickList[int](), set[int]()
    for adds, item in steps:
        (picks.add if adds else picks.discard)(item)
        (model.add if adds else model.discard)(item)
        assert len(picks) == len(model)
        assert set(picks) == {picks[number] for number in range(len(picks))} == model
        assert (item in picks) == (item in model)
