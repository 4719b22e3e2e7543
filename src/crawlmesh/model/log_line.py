"""A line of the log of an execution (X5)."""

import msgspec


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line. The store gives the `id`; ids only grow."""

    task_id: str
    execution_id: str
    at: float
    level: str  # DEBUG, INFO, WARNING, ERROR, CRITICAL
    message: str
    node_id: str = ""
    id: int = 0
