import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.errors import InvalidError
from crawlmesh.protocol.cursors import TASK_CURSOR, order_of, task_cursor, task_position

MOMENTS = st.floats(min_value=0.01, max_value=1e11, allow_nan=False) | st.integers(0, 10**11)
IDS = st.from_regex(r"[A-Za-z0-9._-]{1,40}", fullmatch=True)


@given(MOMENTS, IDS)
def test_a_cursor_stands_for_exactly_the_row_it_was_made_of(value: float, row_id: str) -> None:
    cursor = task_cursor("-created_at", value, row_id)
    assert task_position(cursor, "-created_at") == (value, row_id)


@given(st.floats(min_value=1e8, max_value=1e11), IDS)
def test_moments_of_this_age_fit_the_published_pattern(value: float, row_id: str) -> None:
    assert re.fullmatch(TASK_CURSOR, task_cursor("updated_at", value, row_id))
    assert order_of(task_cursor("updated_at", value, row_id)) == "updated_at"


@pytest.mark.parametrize(
    "text", ["", "nonsense", "priority~5", "priority~5~a~b", "name~5~a", "priority~5.5~a"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidError, match="not one that a page of tasks came with"):
        task_position(text, "priority")


def test_a_cursor_of_another_order_is_refused() -> None:
    with pytest.raises(InvalidError, match="in the order '-created_at'"):
        task_position(task_cursor("-created_at", 1.0, "a"), "priority")
