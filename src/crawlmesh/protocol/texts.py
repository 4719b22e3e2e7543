"""What texts in messages may hold, as patterns that mean the same in JSON Schema and in Python."""

import re
from typing import Annotated

from msgspec import Meta

NO_NUL = r"^[^\x00]*$"  # no database keeps it
# Control characters, and those that break a line, hide, or turn the direction of writing.
_UNSEEN = r"\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
ONE_LINE = rf"^[^{_UNSEEN}]*$"
PATH_PART = rf"^[^/{_UNSEEN}]+$"

PATTERN_MEANINGS = {
    NO_NUL: "it must not have the character NUL",
    ONE_LINE: "it must be one line without control characters",
    PATH_PART: "it must be one line without control characters and without a slash",
}

LONGEST_NAME = 255  # characters

_ONE_LINE = re.compile(rf"[^{_UNSEEN}]*")

PlainText = Annotated[str, Meta(pattern=NO_NUL)]
NameOrEmpty = Annotated[str, Meta(max_length=LONGEST_NAME, pattern=ONE_LINE)]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, pattern=ONE_LINE)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]


def is_one_line(text: str) -> bool:
    """Whether the text fits `ONE_LINE`, for which Python alone would let a line end pass."""
    return _ONE_LINE.fullmatch(text) is not None
