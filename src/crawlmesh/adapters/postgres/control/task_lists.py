"""Pages of tasks, at about the same cost whatever is asked for and however many there are (decision 27).

What an index has in order is read from it. Other conditions are looked for in three steps, each of which
reads a limited number of rows:

1. the next tasks in order: enough where many fit;
2. all that one of the conditions leaves, where these are few: sorted, they are the answer;
3. more tasks in order. A page that is not full then has a cursor, from which one goes on.
"""

import re
from collections.abc import Sequence

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.conditions import Conditions
from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.tables import TASKS
from crawlmesh.model.query import TaskPage, TaskQuery
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.protocol.cursors import task_cursor, task_position

_GLANCE = 1_000  # tasks of the first step at least; and so many for each that is asked for: ↓
_GLANCE_SHARE = 20
_FEW = 5_000  # tasks that are sorted
_WALK = 20_000  # tasks of the last step
_PATIENCE = "30ms"  # for the index of texts, which has no order: what fits too many tasks takes it long

# Those whose indexes go on with created_at, the one that leaves the fewest tasks first.
_STAYS = "status that stays"
_IN_ORDER_OF_CREATION = ("assigned_node", "workflow_id", "project_id", _STAYS, "status")
# Statuses that have indexes for the other orders. Tasks pass through the rest too fast to be worth it.
_STAYING = frozenset(
    {
        TaskStatus.WAITING,
        TaskStatus.PENDING,
        TaskStatus.PAUSED,
        TaskStatus.FAILED,
        TaskStatus.TIMEOUT,
        TaskStatus.CANCELLED,
    }
)
_WORD = re.compile(r"[0-9A-Za-z]{3,}")  # shorter ones are not in the index of texts
_LONGEST_WORD = 10  # characters that are looked up; more would take longer and find hardly less
_SELECT = f"SELECT {TASKS.names} FROM"
_SPECIAL, _ESCAPED = re.compile(r"([%_\\])"), r"\\\1"  # to LIKE
_HAS_TEXTS = "SELECT to_regclass('idx_task_texts') IS NOT NULL"
_WITH_TEXT = f"""
SELECT task_id FROM task_texts WHERE text LIKE lower($1) AND strpos(text, lower($2)) > 0 LIMIT {_FEW + 1}
"""  # noqa: S608
_SEARCHED = "(strpos(lower(id), lower({0})) > 0 OR strpos(lower(parameters::text), lower({0})) > 0)"


class _Condition(msgspec.Struct, frozen=True):
    """A condition on tasks."""

    text: str  # with {} for its values
    values: tuple[object, ...] = ()
    column: str = ""  # that it is about, where an index may have tasks in order under it
    indexed: bool = True  # whether an index finds the tasks


class _Order:
    """The order of a list, and where it begins."""

    def __init__(self, query: TaskQuery) -> None:
        self.name = query.order
        self.column = query.order.removeprefix("-")
        self._direction, self._beyond = ("DESC", "<") if query.order.startswith("-") else ("ASC", ">")
        self.by = f"ORDER BY {self.column} {self._direction}, id {self._direction}"
        self.start: list[_Condition] = []
        if query.cursor is not None:
            self._begin(*task_position(query.cursor, query.order))

    def _begin(self, value: float, task_id: str) -> None:
        start = int(value) if self.column == "priority" else value
        self.start = [_Condition(f"({self.column}, id) {self._beyond} ({{}}, {{}})", (start, task_id))]

    def cursor(self, value: float, task_id: str) -> str:
        return task_cursor(self.name, value, task_id)


class TaskLists(Part):
    """The part of the store that lists tasks."""

    _has_texts: bool | None = None  # whether there is an index of texts; None: not asked yet

    async def list_tasks(self, query: TaskQuery) -> TaskPage:
        """A page of tasks."""
        order = _Order(query)
        statuses = list(dict.fromkeys(query.statuses))
        conditions = _conditions(query)
        if len(statuses) > 1 and not conditions and all(_is_in_order(each, order) for each in statuses):
            return _page(await self._of_statuses(statuses, order, query.limit), order, query.limit)
        conditions += _of_statuses(statuses)
        led, rest = _led_by(conditions, order)
        if not rest:
            tasks = await self._walked(order, led, [], query.limit + 1, query.limit + 1)
            return _page(tasks, order, query.limit)
        return await self._found(order, led, rest, query)

    async def _found(
        self, order: _Order, led: list[_Condition], rest: list[_Condition], query: TaskQuery
    ) -> TaskPage:
        wanted = query.limit + 1
        glance = max(_GLANCE, _GLANCE_SHARE * wanted)
        tasks = await self._walked(order, led, rest, glance, wanted)
        if len(tasks) < wanted:
            gathered = await self._gathered(order, [*led, *rest], query)
            if gathered is not None:
                return _page(gathered, order, query.limit)
            tasks = await self._walked(order, led, rest, _WALK, wanted)
        if len(tasks) >= wanted:
            return _page(tasks, order, query.limit)
        end = await self._end(order, led, _WALK)
        return TaskPage(tuple(tasks), None if end is None else order.cursor(*end))

    async def _of_statuses(self, statuses: Sequence[TaskStatus], order: _Order, limit: int) -> list[Task]:
        """Each status is looked up by itself, in order: a page costs the same however many there are."""
        asked = Conditions()
        parts = [
            f"(SELECT * FROM crawler_tasks {_where(asked, [*_of_statuses([status]), *order.start])}"  # noqa: S608
            f" {order.by} LIMIT {limit + 1})"
            for status in statuses
        ]
        source = f"({' UNION ALL '.join(parts)}) AS found"
        return await self._fetch_tasks(f"{_SELECT} {source} {order.by} LIMIT {limit + 1}", *asked.values)

    async def _walked(
        self, order: _Order, led: list[_Condition], rest: list[_Condition], steps: int, wanted: int
    ) -> list[Task]:
        """Those of the next so many tasks in order that fit."""
        asked = Conditions()
        source = (
            f"(SELECT * FROM crawler_tasks {_where(asked, [*led, *order.start])} {order.by} LIMIT {steps})"  # noqa: S608
        )
        fitting = f"{_where(asked, rest)} {order.by} LIMIT {wanted}"
        return await self._fetch_tasks(f"{_SELECT} {source} AS next {fitting}", *asked.values)

    async def _end(self, order: _Order, led: list[_Condition], steps: int) -> tuple[float, str] | None:
        """The last of the next so many tasks in order; None where there are no more than these."""
        asked = Conditions()
        rows = await self._fetch(
            f"SELECT {order.column}, id FROM crawler_tasks {_where(asked, [*led, *order.start])}"  # noqa: S608
            f" {order.by} LIMIT 2 OFFSET {steps - 1}",
            *asked.values,
        )
        return tuple(rows[0]) if len(rows) > 1 else None

    async def _gathered(
        self, order: _Order, conditions: list[_Condition], query: TaskQuery
    ) -> list[Task] | None:
        """The next tasks that fit, found by a condition that leaves few of all; None where none does."""
        for condition in conditions:
            if condition.indexed and await self._leaves_few(condition):
                return await self._sorted(order, condition, conditions, query.limit + 1)
        if query.search is not None:
            few = await self._few_with(query.search)
            if few is not None:
                return await self._sorted(order, few, conditions, query.limit + 1)
        return None

    async def _leaves_few(self, condition: _Condition) -> bool:
        asked = Conditions()
        source = f"SELECT FROM crawler_tasks {_where(asked, [condition])} LIMIT {_FEW + 1}"
        statement = f"SELECT count(*) FROM ({source}) AS found"  # noqa: S608
        return int(await self._fetch_value(statement, *asked.values)) <= _FEW

    async def _few_with(self, search: str) -> _Condition | None:
        """The tasks whose texts have this in them; None where these are many, or nobody knows."""
        if self._has_texts is None:
            self._has_texts = bool(await self._fetch_value(_HAS_TEXTS))
        word = _rarest_word(search)
        if not self._has_texts or word is None:
            return None
        async with self._database.connection() as connection, connection.transaction(readonly=True):
            await connection.execute(f"SET LOCAL statement_timeout = '{_PATIENCE}'")
            try:
                rows = await connection.fetch(_WITH_TEXT, _pattern(word), search)
            except asyncpg.QueryCanceledError:
                return None
        return _Condition("id = ANY ({})", ([row[0] for row in rows],)) if len(rows) <= _FEW else None

    async def _sorted(
        self, order: _Order, few: _Condition, conditions: list[_Condition], wanted: int
    ) -> list[Task]:
        asked = Conditions()
        source = f"(SELECT * FROM crawler_tasks {_where(asked, [few])} LIMIT {_FEW + 1})"  # noqa: S608
        rest = [each for each in conditions if each is not few]
        fitting = f"{_where(asked, [*rest, *order.start])} {order.by} LIMIT {wanted}"
        return await self._fetch_tasks(f"{_SELECT} {source} AS few {fitting}", *asked.values)

    async def _fetch_tasks(self, statement: str, *values: object) -> list[Task]:
        return list(map(tables.task, await self._fetch(statement, *values)))


def _page(tasks: list[Task], order: _Order, limit: int) -> TaskPage:
    """The page, where one task more than it holds was asked for."""
    if len(tasks) <= limit:
        return TaskPage(tuple(tasks))
    last = tasks[limit - 1]
    return TaskPage(tuple(tasks[:limit]), order.cursor(getattr(last, order.column), last.id))


def _where(asked: Conditions, conditions: Sequence[_Condition]) -> str:
    texts = [asked.text(each.text, *each.values) for each in conditions]
    return f"WHERE {' AND '.join(texts)}" if texts else ""


def _conditions(query: TaskQuery) -> list[_Condition]:
    """All but that on the status."""
    equal = {
        "assigned_node": query.node_id,
        "workflow_id": query.workflow_id,
        "project_id": query.project_id,
        "task_type": query.task_type,
    }
    found = [
        _Condition(f"{column} = {{}}", (value,), column, column != "task_type")
        for column, value in equal.items()
        if value is not None
    ]
    if query.priority is not None:  # as a number: a plan for any priority would walk through all ids
        found.append(_Condition(f"priority = {int(query.priority)}", (), "priority"))
    between = {"created_at >= {}": query.created_after, "created_at < {}": query.created_before}
    given = {text: moment for text, moment in between.items() if moment is not None}
    if given:
        found.append(_Condition(" AND ".join(given), tuple(given.values()), "created_at"))
    if query.category is not None:
        found.append(_Condition("categories @> ARRAY[{}::text] AND categories <> '{{}}'", (query.category,)))
    if query.search is not None:
        found.append(_Condition(_SEARCHED, (query.search,), indexed=False))
    return found


def _of_statuses(statuses: Sequence[TaskStatus]) -> list[_Condition]:
    """Written into the statement, so that the server sees which index has them."""
    if not statuses:
        return []
    names = ", ".join(f"'{status.value}'" for status in statuses)
    if len(statuses) > 1:
        return [_Condition(f"status IN ({names})")]
    return [_Condition(f"status = {names}", (), _STAYS if statuses[0] in _STAYING else "status")]


def _is_in_order(status: TaskStatus, order: _Order) -> bool:
    return order.column == "created_at" or status in _STAYING


def _led_by(conditions: list[_Condition], order: _Order) -> tuple[list[_Condition], list[_Condition]]:
    """The conditions under which an index has the tasks in order, and the rest."""
    led = [each for each in conditions if each.column == order.column]
    columns = _IN_ORDER_OF_CREATION if order.column == "created_at" else (_STAYS,)
    led += [each for column in columns for each in conditions if each.column == column][:1]
    return led, [each for each in conditions if each not in led]


def _rarest_word(search: str) -> str | None:
    """The word of a text that probably the fewest have, with the characters beside it: its ends count.

    The index finds texts by all triples of characters in it: the fewer these are, the faster. Words with
    digits are numbers and ids, which are rarer than others.
    """
    words = list(_WORD.finditer(search))
    if not words:
        return None
    found = max(words, key=lambda word: (any(map(str.isdigit, word[0])), len(word[0])))
    begin = max(found.start() - 1, found.end() - _LONGEST_WORD, 0)
    return search[begin : found.end() + 1]


def _pattern(search: str) -> str:
    """What LIKE takes for a text with anything around it."""
    return f"%{_SPECIAL.sub(_ESCAPED, search)}%"
