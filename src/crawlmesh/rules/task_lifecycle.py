"""The life of a task: which moves there are, and every change as a pure function.

Each function returns the task as it shall be, its executions that change with it, and what to tell. The
parts: `task_moves` has the table, `task_steering` what the scheduler and users do, `task_reports` what nodes
tell, `task_endings` what becomes of a task then.

Reports of executions that no longer run are refused before they come here.
"""

from crawlmesh.rules.task_endings import RetryOptions
from crawlmesh.rules.task_moves import MOVES, check_move
from crawlmesh.rules.task_reports import begun, is_begun, lost, reported, started, timed_out
from crawlmesh.rules.task_steering import (
    HIGHEST_PRIORITY,
    LOWEST_PRIORITY,
    cancelled,
    finished,
    moved,
    paused,
    placed,
    released,
    reprioritized,
    resumed,
    retried,
    woken,
)

__all__ = [
    "HIGHEST_PRIORITY",
    "LOWEST_PRIORITY",
    "MOVES",
    "RetryOptions",
    "begun",
    "cancelled",
    "check_move",
    "finished",
    "is_begun",
    "lost",
    "moved",
    "paused",
    "placed",
    "released",
    "reported",
    "reprioritized",
    "resumed",
    "retried",
    "started",
    "timed_out",
    "woken",
]
