"""From the error answers of a master to errors of ours."""

from collections.abc import Callable

import msgspec

from crawlmesh.adapters.http.master_addresses import HttpAnswer
from crawlmesh.errors import (
    ConflictError,
    CrawlmeshError,
    ForbiddenError,
    InvalidError,
    MasterUnreachableError,
    NotFoundError,
    StaleSessionError,
    UnauthenticatedError,
)

_BY_CODE: dict[str, Callable[[str], CrawlmeshError]] = {
    "invalid": InvalidError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "unauthenticated": UnauthenticatedError,
    "forbidden": ForbiddenError,
    "stale_session": StaleSessionError,
    "too_large": InvalidError,
    "unavailable": MasterUnreachableError,
}
_BY_STATUS = {
    400: InvalidError,
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidError,
    422: InvalidError,
}


class _Error(msgspec.Struct, frozen=True):
    code: str = ""
    message: str = ""


class _ErrorBody(msgspec.Struct, frozen=True):
    error: _Error = _Error()


def error_of(answer: HttpAnswer) -> CrawlmeshError | None:
    """The error that an answer stands for, or None where it is a good one."""
    if 200 <= answer.status < 300:
        return None
    try:
        found = msgspec.json.decode(answer.body, type=_ErrorBody).error
    except (msgspec.DecodeError, msgspec.ValidationError):
        found = _Error()
    message = found.message or f"The master answered with the status {answer.status}."
    kind = _BY_CODE.get(found.code) or _BY_STATUS.get(answer.status)
    if kind is None:  # a fault of the master, which may pass
        return MasterUnreachableError(message)
    return kind(message)
