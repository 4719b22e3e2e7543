"""Answers that are errors, as exceptions."""

import msgspec

from crawlmesh.errors import (
    ConflictError,
    CrawlmeshError,
    ForbiddenError,
    InvalidError,
    MasterUnreachableError,
    NotFoundError,
    RequestError,
    StaleSessionError,
    UnauthenticatedError,
)

_BY_CODE: dict[str, type[RequestError]] = {
    "invalid": InvalidError,
    "too_large": InvalidError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "unauthenticated": UnauthenticatedError,
    "forbidden": ForbiddenError,
    "stale_session": StaleSessionError,
}
_BY_STATUS: dict[int, type[RequestError]] = {
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidError,
    422: InvalidError,
}


class _Fault(msgspec.Struct):
    code: str = ""
    message: str = ""
    field: str | None = None


class _Body(msgspec.Struct):
    error: _Fault


def error_of(status: int, body: bytes) -> CrawlmeshError:
    """The exception that an answer describes."""
    try:
        fault = msgspec.json.decode(body, type=_Body).error
    except msgspec.DecodeError:
        fault = _Fault(message=f"The master answered with status {status}, and not as Crawlmesh does.")
    kind = _BY_CODE.get(fault.code) or _BY_STATUS.get(status)
    if kind is not None:
        return kind(fault.message, fault.field)
    if status == 503:
        return MasterUnreachableError(fault.message)
    return RequestError(fault.message or f"The master answered with status {status}.", fault.field)
