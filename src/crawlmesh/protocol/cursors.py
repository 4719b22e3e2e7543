"""Where a page of a list ended, as a short text that clients hand back. Its pattern says all that it may be.

A cursor is a position and nothing else: one of the right shape is taken, also where no page ended there.
"""

import re
from decimal import Decimal
from typing import cast

from crawlmesh.errors import InvalidError
from crawlmesh.model.query import TaskOrder

_ID = "[A-Za-z0-9._-]{1,100}"
_MOMENT = r"-?(?:created|updated)_at~[0-9]{1,12}(?:\.[0-9]{1,20})?"
_PRIORITY = "-?priority~[0-9]{1,2}"

TASK_CURSOR = rf"^(?:{_MOMENT}|{_PRIORITY})~{_ID}$"  # the order, the value of the task in it, its id
ID_CURSOR = f"^{_ID}$"
HOST_CURSOR = "^[!-~]{1,2000}$"
NUMBER_CURSOR = "^[0-9]{1,18}$"

CURSOR_MEANINGS = {
    TASK_CURSOR: "it must be the `next_cursor` of a page of tasks; leave it out for the first page",
    ID_CURSOR: "it must be the `next_cursor` of a page of this list; leave it out for the first page",
    HOST_CURSOR: "it must be the `next_cursor` of a page of hosts; leave it out for the first page",
    NUMBER_CURSOR: "it must be a number that came with this list; leave it out to begin with the first",
}

_TASK = re.compile(TASK_CURSOR)


def task_cursor(order: TaskOrder, value: float, task_id: str) -> str:
    """The cursor after a task: what the list is ordered by, and the id."""
    written = str(int(value)) if float(value).is_integer() else f"{Decimal(repr(value)):f}"
    return f"{order}~{written}~{task_id}"


def task_position(cursor: str, order: TaskOrder) -> tuple[float, str]:
    """The value and the id that a cursor stands for. Raises InvalidError for one of another list."""
    found = order_of(cursor)
    if found != order:
        raise InvalidError(f"the cursor belongs to a list in the order {found!r}, not {order!r}", "cursor")
    _, value, task_id = cursor.split("~")
    return float(value), task_id


def order_of(cursor: str) -> TaskOrder:
    """The order in which a list of tasks goes on. Raises InvalidError."""
    if _TASK.fullmatch(cursor) is None:
        raise InvalidError("the cursor is not one that a page of tasks came with", "cursor")
    return cast("TaskOrder", cursor.partition("~")[0])
