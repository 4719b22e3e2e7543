"""Taking in new tasks, and recognising those that were submitted before."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.sqlite.control.reading import TASKS_BY_ID, decode_tasks
from crawlmesh.adapters.sqlite.control.rows import TASK, names, task_row
from crawlmesh.adapters.sqlite.control.session import Session, json_list
from crawlmesh.adapters.sqlite.control.statements import insert
from crawlmesh.errors import IdempotencyError
from crawlmesh.model.query import Submission
from crawlmesh.model.task import Task

INSERT_TASKS = insert("crawler_tasks", names(TASK))

_USED_KEYS = """
SELECT json_group_object(key, json_array(body_hash, task_id)) FROM idempotency_keys
WHERE key IN (SELECT value FROM json_each(?)) AND expires_at > ?
    AND EXISTS (SELECT 1 FROM crawler_tasks WHERE id = task_id)
"""

_KNOWN_IDS = """
SELECT json_group_array(id) FROM crawler_tasks WHERE id IN (SELECT value FROM json_each(?))
"""

# Of several, the last one in the array counts: the newest.
_REPEATABLE = """
SELECT json_group_array(json_array(dedup_key, id)) FROM (
    SELECT dedup_key, id FROM crawler_tasks WHERE dedup_key IN (SELECT value FROM json_each(?))
        AND status NOT IN ('failed', 'timeout', 'cancelled') ORDER BY rowid LIMIT -1)
"""

_INSERT_KEYS = insert(
    "idempotency_keys",
    ("key", "body_hash", "task_id", "created_at", "expires_at"),
    "ON CONFLICT (key) DO UPDATE SET body_hash = excluded.body_hash, task_id = excluded.task_id,"
    " created_at = excluded.created_at, expires_at = excluded.expires_at",
)

_decode_used = msgspec.json.Decoder(dict[str, tuple[str, str]]).decode
_decode_pairs = msgspec.json.Decoder(list[tuple[str, str]]).decode
_decode_ids = msgspec.json.Decoder(set[str]).decode


def submit(session: Session, submissions: Sequence[Submission], now: float) -> list[Task]:
    """Store new tasks; one task each: the new one, or the one it repeats."""
    return _Intake(session, submissions, now).take()


class _Intake:
    """One call: first everything is looked up, then decided, then written."""

    def __init__(self, session: Session, submissions: Sequence[Submission], now: float) -> None:
        self._session = session
        self._submissions = submissions
        self._now = now
        self._used = self._used_keys()
        self._known = _decode_ids(session.one(_KNOWN_IDS, json_list(each.task.id for each in submissions)))
        self._repeatable = self._repeatable_tasks()
        self._new: dict[str, Task] = {}

    def take(self) -> list[Task]:
        """Decide and write."""
        self._check_bodies()
        keys: list[tuple[str, str, str, float, float]] = []
        new: list[Submission] = []
        ids: list[str] = []
        for submission in self._submissions:
            task_id = self._repeated(submission)
            if task_id is None:
                task_id = submission.task.id
                new.append(submission)
                self._remember(submission.task)
            ids.append(task_id)
            key = submission.idempotency_key
            if key is not None and key not in self._used:
                self._used[key] = (submission.body_hash, task_id)
                keys.append((key, submission.body_hash, task_id, self._now, self._now + submission.key_life))
        self._write(new)
        self._session.write(_INSERT_KEYS, keys)
        return self._tasks(ids)

    def _used_keys(self) -> dict[str, tuple[str, str]]:
        keys = [each.idempotency_key for each in self._submissions if each.idempotency_key is not None]
        return _decode_used(self._session.one(_USED_KEYS, json_list(keys), self._now)) if keys else {}

    def _repeatable_tasks(self) -> dict[str, str]:
        keys = [each.task.dedup_key for each in self._submissions if each.task.dedup_key is not None]
        return dict(_decode_pairs(self._session.one(_REPEATABLE, json_list(keys)))) if keys else {}

    def _check_bodies(self) -> None:
        hashes = {key: body_hash for key, (body_hash, _) in self._used.items()}
        for submission in self._submissions:
            key = submission.idempotency_key
            if key is not None and hashes.setdefault(key, submission.body_hash) != submission.body_hash:
                raise IdempotencyError(
                    f"The idempotency key {key!r} was used before with another request; "
                    "use a new key, or send the same request.",
                    "Idempotency-Key",
                )

    def _repeated(self, submission: Submission) -> str | None:
        if submission.idempotency_key in self._used:
            return self._used[submission.idempotency_key][1]
        if submission.task.id in self._known:
            return submission.task.id
        return self._repeatable.get(submission.task.dedup_key or "")

    def _remember(self, task: Task) -> None:
        self._new[task.id] = task
        self._known.add(task.id)
        if task.dedup_key is not None:
            self._repeatable[task.dedup_key] = task.id

    def _write(self, new: list[Submission]) -> None:
        tasks = [submission.task for submission in new]
        write_new_tasks(self._session, tasks)
        self._session.append_events([event for submission in new for event in submission.events])

    def _tasks(self, ids: list[str]) -> list[Task]:
        old = set(ids) - self._new.keys()
        found = dict(self._new)
        if old:
            found.update(
                (task.id, task) for task in decode_tasks(self._session.one(TASKS_BY_ID, json_list(old)))
            )
        return [found[task_id] for task_id in ids]


def write_new_tasks(session: Session, tasks: Sequence[Task]) -> None:
    """Write and count tasks that are not there yet."""
    session.write(INSERT_TASKS, [task_row(task) for task in tasks])
    session.count("task_counts", Counter(task.status.value for task in tasks))
    session.count("queue_counts", Counter(task.queue for task in tasks if task.open_places > 0))
    if any(task.open_places > 0 for task in tasks):
        session.told.add("tasks")
