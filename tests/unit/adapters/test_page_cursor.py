import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.adapters.page_cursor import decode_cursor, encode_cursor
from crawlmesh.errors import InvalidError


@given(st.floats(allow_nan=False, allow_infinity=False), st.text())
def test_a_cursor_brings_back_its_place(value: float, row_id: str) -> None:
    assert decode_cursor(encode_cursor("-created_at", value, row_id), "-created_at") == (value, row_id)


@given(st.text())
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidError, match="cursor"):
        decode_cursor(text, "priority")


def test_the_cursor_of_another_order_is_refused() -> None:
    with pytest.raises(InvalidError, match="'-created_at', not 'priority'"):
        decode_cursor(encode_cursor("-created_at", 1.0, "a"), "priority")
