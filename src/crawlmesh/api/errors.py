"""One shape for every error: `{"error": {"code", "message", "field", "request_id"}}`."""

import difflib
import re
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from crawlmesh.api.credentials import challenges
from crawlmesh.errors import (
    ConflictError,
    CrawlmeshError,
    ForbiddenError,
    IdempotencyError,
    InvalidError,
    NotFoundError,
    StaleSessionError,
    StoreError,
    UnauthenticatedError,
    UnknownCrawlError,
    UsageError,
)
from crawlmesh.observability.logging import Tag, log_for
from crawlmesh.protocol.cursors import CURSOR_MEANINGS
from crawlmesh.protocol.texts import PATTERN_MEANINGS

_log = log_for(Tag.MASTER)

REQUEST_ID_HEADER = "X-Request-ID"
_SHOWN_CHARACTERS = 100  # of a value that is at fault
_MEANINGS = {**PATTERN_MEANINGS, **CURSOR_MEANINGS}


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong. `field` names the part of the request that is at fault, where it is one."""

    code: str
    message: str
    field: str | msgspec.UnsetType = msgspec.UNSET
    request_id: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    """The body of every answer with a status of 400 or above."""

    error: ErrorDetail


class TooLargeError(CrawlmeshError):
    """The body of the request is larger than this path takes."""


# The first class that fits decides.
_STATUSES: tuple[tuple[type[CrawlmeshError], int, str], ...] = (
    (TooLargeError, 413, "too_large"),
    (UnauthenticatedError, 401, "unauthenticated"),
    (ForbiddenError, 403, "forbidden"),
    (StaleSessionError, 409, "stale_session"),
    (IdempotencyError, 409, "conflict"),
    (ConflictError, 409, "conflict"),
    (NotFoundError, 404, "not_found"),
    (UnknownCrawlError, 404, "not_found"),
    (InvalidError, 422, "invalid"),
    (UsageError, 422, "invalid"),
    (StoreError, 503, "unavailable"),
)
_CODES_OF_STATUSES = {401: "unauthenticated", 403: "forbidden", 404: "not_found", 405: "method_not_allowed"}

ERROR_MEANINGS: dict[str, tuple[int, str]] = {
    "invalid": (422, "A field or a parameter has a value that is not allowed."),
    "unauthenticated": (401, "There is no key or token, or one that is not known."),
    "forbidden": (403, "The role of the key does not allow this."),
    "not_found": (404, "There is no such path, or nothing with this id."),
    "method_not_allowed": (405, "The path has other methods; `Allow` names them."),
    "conflict": (409, "It contradicts what is there, such as a status that allows no such move."),
    "stale_session": (409, "A node speaks that was registered anew: it has to register again."),
    "too_large": (413, "The body is larger than the path takes."),
    "internal": (500, "Something went wrong that nobody expected; the log has it under the request id."),
    "unavailable": (503, "The store cannot serve at the moment."),
}


def error_answer(
    request: Request, status: int, code: str, message: str, field: str | None = None
) -> Response:
    """An error in the one shape."""
    detail = ErrorDetail(
        code=code, message=message, field=field or msgspec.UNSET, request_id=request_id_of(request)
    )
    answer = Response(msgspec.json.encode(ErrorAnswer(detail)), status, media_type="application/json")
    if status == HTTPStatus.UNAUTHORIZED:
        for challenge in challenges(request.headers):
            answer.headers.append("WWW-Authenticate", challenge)
    return answer


def request_id_of(request: Request) -> str:
    """The id under which logs know this request."""
    return str(request.scope.get("request_id", ""))


def add_error_handlers(app: FastAPI) -> None:
    """Answer everything that goes wrong in the one shape."""
    app.add_exception_handler(CrawlmeshError, _answer_known)
    app.add_exception_handler(RequestValidationError, _answer_parameters)
    app.add_exception_handler(HTTPException, _answer_http)


def fault_answer(request: Request, error: Exception) -> Response:
    """Nobody expected this: the log says what it was, the client only where to look."""
    identity = request_id_of(request)
    _log.exception(
        "A request failed for a reason that nobody expected.",
        error,
        request_id=identity,
        method=request.method,
        path=request.url.path,
    )
    message = f"Something went wrong inside the master. Its log has the details under {identity}."
    return error_answer(request, 500, "internal", message)


async def _answer_known(request: Request, error: Exception) -> Response:
    status, code = next(
        ((status, code) for kind, status, code in _STATUSES if isinstance(error, kind)), (500, "internal")
    )
    if status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return fault_answer(request, error)
    if status == HTTPStatus.SERVICE_UNAVAILABLE:
        _log.error(f"The store could not serve a request: {error}", request_id=request_id_of(request))
    return error_answer(request, status, code, str(error), getattr(error, "field", None))


async def _answer_parameters(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = error.errors()[0]
    field = str(first["loc"][1]) if len(first["loc"]) > 1 else str(first["loc"][0])
    given = f" is {shown(first['input'])}" if first["type"] != "missing" else " is missing"
    wanted = _in_words(f"{first['msg'][:1].lower()}{first['msg'][1:]}")
    message = f"{field}{given}: {wanted}. Correct it and ask again."
    return error_answer(request, 422, "invalid", message, field)


async def _answer_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    path = request.url.path
    if error.status_code == HTTPStatus.NOT_FOUND:
        message = f"There is nothing at {shown(path)}. /docs lists every path."
        return error_answer(request, 404, "not_found", message)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        allowed = ", ".join(_methods_at(request))
        message = f"{request.method} is not possible at {shown(path)}; use {allowed}."
        answer = error_answer(request, 405, "method_not_allowed", message)
        answer.headers["Allow"] = allowed
        return answer
    code = _CODES_OF_STATUSES.get(error.status_code, "invalid")
    return error_answer(request, error.status_code, code, str(error.detail))


def _methods_at(request: Request) -> list[str]:
    scope = {key: request.scope[key] for key in ("type", "path", "root_path")}
    methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    routes = request.app.router.routes
    return [
        method
        for method in methods
        if any(route.matches({**scope, "method": method})[0] is Match.FULL for route in routes)
    ]


# -- bodies ----------------------------------------------------------------------------------------

_PATH = re.compile(r"(?s)^(?P<what>.*?)(?: - at (?:`key` in )?`(?P<path>[^`]*)`)?$")
_UNKNOWN_FIELD = re.compile(r"^Object contains unknown field `(?P<name>.*)`$", re.DOTALL)
_MISSING_FIELD = re.compile(r"^Object missing required field `(?P<name>.*)`$", re.DOTALL)
_INDEX = re.compile(r"\[(\d+)\]")
_STEP = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<index>\d+)\]|\[\.\.\.\]|(?P<other>.)", re.DOTALL)


def body_error(error: msgspec.ValidationError, body: bytes, known_fields: tuple[str, ...]) -> InvalidError:
    """What is wrong with a body, naming the field, its value and what to do."""
    found = _PATH.match(str(error))
    assert found is not None
    what, path = found["what"], found["path"] or "$"
    place = _INDEX.sub(r".\1", path.removeprefix("$")).replace("[...]", "").removeprefix(".")
    unknown, missing = _UNKNOWN_FIELD.match(what), _MISSING_FIELD.match(what)
    if unknown is not None:
        return _unknown_field(_joined(place, unknown["name"]), unknown["name"], known_fields)
    if missing is not None:
        name = _joined(place, missing["name"])
        return InvalidError(f"{name} is missing. Give it and send the request again.", name)
    value = _value_at(body, path)
    given = "" if value is msgspec.UNSET else f" is {shown(value)}"
    name = place or "the body"
    wanted = _in_words(f"{what[:1].lower()}{what[1:]}")
    return InvalidError(f"{name}{given}: {wanted}. Correct it and send the request again.", place or None)


def shown(value: Any) -> str:
    """A value, short enough for a message."""
    text = msgspec.json.encode(value, enc_hook=str).decode(errors="replace")
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"


def _in_words(wanted: str) -> str:
    """What a pattern means, where it is one of ours."""
    plain = wanted.replace("\\\\", "\\")  # msgspec shows them as Python would
    return next((words for pattern, words in _MEANINGS.items() if f"'{pattern}'" in plain), wanted)


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _unknown_field(path: str, name: str, known: tuple[str, ...]) -> InvalidError:
    near = difflib.get_close_matches(name, known, n=1)
    remedy = f"Did you mean {near[0]}?" if near else f"Known fields: {', '.join(known)}."
    return InvalidError(f"{shown(path)[1:-1]} is not a field of this request. {remedy}", path)


def _value_at(body: bytes, path: str) -> Any:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return msgspec.UNSET
    for step in _STEP.finditer(path.removeprefix("$")):
        if isinstance(value, dict) and step["name"] in value:
            value = value[step["name"]]
        elif isinstance(value, list) and step["index"] and int(step["index"]) < len(value):
            value = value[int(step["index"])]
        else:
            return msgspec.UNSET
    return value
