"""Taking in new tasks, and recognising those that were submitted before."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.memory.control.tasks import TaskTable
from crawlmesh.errors import IdempotencyError
from crawlmesh.model.query import Submission
from crawlmesh.model.task import Task


class UsedKey(msgspec.Struct, frozen=True):
    """An idempotency key and what it was used for."""

    body_hash: str
    task_id: str
    expires_at: float


class UsedKeys:
    """The idempotency keys."""

    def __init__(self, tasks: TaskTable) -> None:
        self._tasks = tasks
        self._rows: dict[str, UsedKey] = {}

    def check(self, submissions: Sequence[Submission], now: float) -> None:
        """Raise IdempotencyError where a key was used with another body, here or before."""
        hashes: dict[str, str] = {}
        for submission in submissions:
            key = submission.idempotency_key
            if key is None:
                continue
            used = self._live(key, now)
            known = hashes.setdefault(key, submission.body_hash if used is None else used.body_hash)
            if known != submission.body_hash:
                raise IdempotencyError(
                    f"The idempotency key {key!r} was used before with another request; "
                    "use a new key, or send the same request.",
                    "Idempotency-Key",
                )

    def repeated(self, submission: Submission, now: float) -> Task | None:
        """The task that this submission repeats."""
        key = submission.idempotency_key
        used = None if key is None else self._live(key, now)
        if used is not None:
            return self._tasks.rows[used.task_id]
        return self._tasks.rows.get(submission.task.id) or self._tasks.repeated(submission.task.dedup_key)

    def remember(self, submission: Submission, task_id: str, now: float) -> None:
        """Keep the key of a submission, unless it is kept already."""
        key = submission.idempotency_key
        if key is not None and self._live(key, now) is None:
            self._rows[key] = UsedKey(submission.body_hash, task_id, now + submission.key_life)

    def prune(self, moment: float, limit: int) -> int:
        """Forget keys whose life ended before a moment; returns how many."""
        old = [key for key, used in self._rows.items() if used.expires_at < moment][:limit]
        for key in old:
            del self._rows[key]
        return len(old)

    def _live(self, key: str, now: float) -> UsedKey | None:
        used = self._rows.get(key)
        if used is None or used.expires_at <= now or used.task_id not in self._tasks.rows:
            return None
        return used
