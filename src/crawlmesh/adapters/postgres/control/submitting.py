"""Taking in new tasks, and recognising those that were submitted before."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.columns import document
from crawlmesh.adapters.postgres.control.tables import INSERT_NEW_TASKS, TASKS
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import CrawlmeshError, IdempotencyError
from crawlmesh.model.query import Submission
from crawlmesh.model.task import Task

_ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('crawlmesh submissions', 0))"

_USED_KEYS = f"""
SELECT k.key, k.body_hash, k.expires_at, {TASKS.prefixed("t")}
FROM idempotency_keys AS k JOIN crawler_tasks AS t ON t.id = k.task_id
WHERE k.key = ANY($1)
"""  # noqa: S608

_REPEATABLE = f"""
SELECT {TASKS.names} FROM crawler_tasks
WHERE dedup_key = ANY($1) AND status NOT IN ('failed', 'timeout', 'cancelled')
ORDER BY created_at, id
"""  # noqa: S608

_BY_ID = f"SELECT {TASKS.names} FROM crawler_tasks WHERE id = ANY($1)"  # noqa: S608

_REMEMBER = """
INSERT INTO idempotency_keys (key, body_hash, task_id, created_at, expires_at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::float8[])
ON CONFLICT (key) DO UPDATE SET
    body_hash = excluded.body_hash, task_id = excluded.task_id,
    created_at = excluded.created_at, expires_at = excluded.expires_at
"""


class SubmitCall(msgspec.Struct, frozen=True):
    """One call of `submit`."""

    submissions: Sequence[Submission]
    now: float


class _UsedKey(msgspec.Struct, frozen=True):
    body_hash: str
    task: Task
    created_at: float
    expires_at: float


class _Known:
    """What was submitted before, in the database or earlier in this transaction."""

    def __init__(self) -> None:
        self.keys: dict[str, _UsedKey] = {}
        self.new_keys: dict[str, _UsedKey] = {}
        self.repeatable: dict[str, Task] = {}  # by dedup key
        self.new: dict[str, Submission] = {}  # by id of the task

    async def load(self, transaction: Transaction, calls: Sequence[SubmitCall]) -> None:
        """Look up what the calls may repeat. Others who do the same wait for the commit."""
        submissions = [submission for call in calls for submission in call.submissions]
        keys = {each.idempotency_key for each in submissions} - {None}
        dedup_keys = {each.task.dedup_key for each in submissions} - {None}
        connection = transaction.connection
        if keys or dedup_keys:
            await connection.execute(_ONE_AT_A_TIME)
        if keys:
            for key, body_hash, expires_at, *values in await connection.fetch(_USED_KEYS, list(keys)):
                self.keys[key] = _UsedKey(body_hash, tables.task(values), 0.0, expires_at)
        if dedup_keys:
            for task in map(tables.task, await connection.fetch(_REPEATABLE, list(dedup_keys))):
                self.repeatable[task.dedup_key or ""] = task

    def live(self, key: str | None, now: float) -> _UsedKey | None:
        """What a key stands for at a moment."""
        used = None if key is None else self.keys.get(key)
        return used if used is not None and used.expires_at > now else None

    def take(self, submission: Submission, now: float) -> Task:
        """The task of a submission: a new one, or the one that it repeats."""
        task = self._repeated(submission, now)
        if task is None:
            task = submission.task
            self.new[task.id] = submission
            if task.dedup_key is not None:
                self.repeatable[task.dedup_key] = task
        key = submission.idempotency_key
        if key is not None and self.live(key, now) is None:
            used = _UsedKey(submission.body_hash, task, now, now + submission.key_life)
            self.keys[key] = self.new_keys[key] = used
        return task

    def _repeated(self, submission: Submission, now: float) -> Task | None:
        used = self.live(submission.idempotency_key, now)
        if used is not None:
            return used.task
        task = submission.task
        if task.id in self.new:
            return self.new[task.id].task
        return None if task.dedup_key is None else self.repeatable.get(task.dedup_key)


async def submit(transaction: Transaction, calls: Sequence[SubmitCall]) -> list[list[Task] | CrawlmeshError]:
    """Store the tasks of several calls; a call that is refused leaves no trace."""
    known = _Known()
    await known.load(transaction, calls)
    answers: list[list[Task] | CrawlmeshError] = []
    for call in calls:
        refusal = _refusal(known, call)
        if refusal is None:
            answers.append([known.take(submission, call.now) for submission in call.submissions])
        else:
            answers.append(refusal)
    there = await _insert(transaction, known)
    await _remember(transaction, known.new_keys)
    return [
        answer if isinstance(answer, CrawlmeshError) else [there.get(task.id, task) for task in answer]
        for answer in answers
    ]


def _refusal(known: _Known, call: SubmitCall) -> IdempotencyError | None:
    hashes: dict[str, str] = {}
    for submission in call.submissions:
        key = submission.idempotency_key
        if key is None:
            continue
        used = known.live(key, call.now)
        first = hashes.setdefault(key, submission.body_hash if used is None else used.body_hash)
        if first != submission.body_hash:
            return IdempotencyError(
                f"The idempotency key {key!r} was used before with another request; "
                "use a new key, or send the same request.",
                "Idempotency-Key",
            )
    return None


async def _insert(transaction: Transaction, known: _Known) -> dict[str, Task]:
    """Insert the new tasks; returns those whose ids were there already, as they are stored."""
    if not known.new:
        return {}
    tasks = [submission.task for submission in known.new.values()]
    inserted = {row[0] for row in await transaction.connection.fetch(INSERT_NEW_TASKS, document(tasks))}
    for task_id in inserted:
        submission = known.new[task_id]
        transaction.statuses[submission.task.status] += 1
        if submission.task.open_places > 0:
            transaction.queues[submission.task.queue] += 1
            transaction.topics.add("tasks")
    for task_id, submission in known.new.items():  # in the order of the submissions
        if task_id in inserted:
            transaction.tell(submission.events)
    missing = known.new.keys() - inserted
    if not missing:
        return {}
    rows = await transaction.connection.fetch(_BY_ID, list(missing))
    return {task.id: task for task in map(tables.task, rows)}


async def _remember(transaction: Transaction, keys: dict[str, _UsedKey]) -> None:
    if keys:
        await transaction.connection.execute(
            _REMEMBER,
            list(keys),
            [used.body_hash for used in keys.values()],
            [used.task.id for used in keys.values()],
            [used.created_at for used in keys.values()],
            [used.expires_at for used in keys.values()],
        )
