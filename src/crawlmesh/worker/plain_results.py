"""Results and texts of executors in the form in which they can go to a master."""

from typing import Any

import msgspec

from crawlmesh.errors import InvalidError
from crawlmesh.model.task import TaskResult

_FAILURES = frozenset({"failed", "failure", "error"})


def readable(text: object) -> str:
    """A text that can be sent and stored: lone surrogates and NUL are written out."""
    return str(text).encode("utf-8", "backslashreplace").decode().replace("\x00", "\\x00")


def plain_result(returned: Any, now: float) -> TaskResult:
    """What an executor returned, as JSON keeps it: sets become lists, and NaN becomes null.

    Raises InvalidError where JSON cannot hold it.
    """
    result = _result_of(returned, now)
    if result.error is not None:
        result = msgspec.structs.replace(result, error=readable(result.error))
    try:
        return msgspec.json.decode(msgspec.json.encode(result), type=TaskResult)
    except Exception as error:  # whatever objects of somebody else come up with
        raise InvalidError(
            f"The executor's result is not JSON: {readable(error).rstrip('.')}. "
            "Let it return texts, numbers, lists and dicts with texts as keys."
        ) from error


def _result_of(returned: Any, now: float) -> TaskResult:
    if isinstance(returned, TaskResult):
        return returned
    if returned is None:
        return TaskResult(success=True, timestamp=now)
    if not isinstance(returned, dict):
        return TaskResult(success=True, data={"result": returned}, timestamp=now)
    failed = returned.get("success") is False or str(returned.get("status", "")).lower() in _FAILURES
    error = str(returned.get("error") or "The executor said that it failed.") if failed else None
    return TaskResult(success=not failed, data=returned, error=error, timestamp=now)
