"""Where a page of a list ended, as a short text that clients hand back."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

import msgspec

from crawlmesh.errors import InvalidError
from crawlmesh.model.query import TaskOrder

_decode = msgspec.json.Decoder(tuple[str, float, str]).decode


def encode_cursor(order: TaskOrder, value: float, row_id: str) -> str:
    """The cursor after a row: what it is ordered by, and its id."""
    return urlsafe_b64encode(msgspec.json.encode((order, value, row_id))).decode().rstrip("=")


def decode_cursor(cursor: str, order: TaskOrder) -> tuple[float, str]:
    """The value and the id that a cursor stands for. Raises InvalidError for one of another list."""
    try:
        found, value, row_id = _decode(urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)))
    except (ValueError, msgspec.MsgspecError) as error:
        raise InvalidError("the cursor is not one that a page of tasks came with", "cursor") from error
    if found != order:
        raise InvalidError(f"the cursor belongs to a list in the order {found!r}, not {order!r}", "cursor")
    return value, row_id
