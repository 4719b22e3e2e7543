"""`/api/v1/session`: signing in, who one is, and signing out, for browsers."""

from typing import Any

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api.auth import caller
from crawlmesh.api.bodies import BodyReader, answer, nothing
from crawlmesh.api.credentials import SESSION_COOKIE, require_from_here, session_given
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.requests import SessionRequest
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.moments import moment
from crawlmesh.control.sign_in import sign_in, sign_out
from crawlmesh.errors import UnauthenticatedError
from crawlmesh.model.access import ApiKey, Role

router = APIRouter(prefix="/api/v1")

_KEY = BodyReader(SessionRequest)
_EXAMPLE = {
    "name": "dashboard",
    "role": "viewer",
    "key_id": "key-01HF3Z8Q4V6N2K7M9P1R3T5W7X",
    "expires_at": "2023-06-22T10:00:00Z",
}


class SessionShape(msgspec.Struct, frozen=True, kw_only=True):
    """Who is signed in: the name, role and id of the key. `expires_at` is null for a key without an end."""

    name: str
    role: Role
    key_id: str
    expires_at: str | None


@router.post(
    "/session",
    **operation(
        "sign_in",
        "Sign in",
        tag="keys",
        roles=None,
        description=(
            "Needs no role. Sets the cookie of a session, which stands for the key for seven days at most. "
            "Join tokens open no session, and pages of other sites none at all."
        ),
        body=Body(SessionRequest, {"key": "cm_4fzsJq0yqjB1c0mR5rP3y7YwQ2n8d6LkT1vXhZ9aBcE"}),
        success=Success(
            SessionShape,
            _EXAMPLE,
            headers={"Set-Cookie": f"`{SESSION_COOKIE}`, which scripts cannot read."},
        ),
        errors=(401, 403),
    ),
)
async def post_session(request: Request) -> Response:
    """The session that the browser had before is forgotten."""
    require_from_here(request.headers)
    context = context_of(request)
    new = await sign_in(context, (await _KEY.read(request)).key)
    await sign_out(context, session_given(request.headers))
    signed_in = answer(_shape(new.key))
    life = (new.key.expires_at or 0.0) - context.clock.now()
    _set_cookie(request, signed_in, new.secret, int(life))
    return signed_in


@router.get(
    "/session",
    **operation(
        "get_session",
        "Who is signed in",
        tag="keys",
        roles=None,
        description=(
            "Needs no role, so that a page can ask before anybody has signed in. With a key instead of a "
            "session, whose key it is."
        ),
        success=Success(SessionShape | None, _EXAMPLE, description="Null where nobody is."),
    ),
)
async def get_session(request: Request) -> Response:
    """The same as `whoami`, without what only keys have."""
    try:
        return answer(_shape(await caller(request)))
    except UnauthenticatedError:
        return answer(None)


@router.delete(
    "/session",
    **operation(
        "sign_out",
        "Sign out",
        tag="keys",
        roles=None,
        description="Needs no role. Keys stay as they are; without a session there is nothing to do.",
        success=Success(
            None,
            status=204,
            description="The session opens nothing any more.",
            headers={"Set-Cookie": f"Takes `{SESSION_COOKIE}` away."},
        ),
        errors=(403,),
    ),
)
async def delete_session(request: Request) -> Response:
    """Other masters know of it within seconds."""
    require_from_here(request.headers)
    await sign_out(context_of(request), session_given(request.headers))
    signed_out = nothing()
    _set_cookie(request, signed_out, "", 0)
    return signed_out


def _shape(key: ApiKey) -> SessionShape:
    expires_at = None if key.expires_at is None else moment(key.expires_at)
    return SessionShape(name=key.name, role=key.role, key_id=key.session_of or key.id, expires_at=expires_at)


def _set_cookie(request: Request, response: Response, secret: str, life: int) -> None:
    """`life` is in seconds. Behind a proxy that speaks TLS, only the browser knows that it does."""
    over_tls = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https://")
    attributes: dict[str, Any] = {"path": "/", "httponly": True, "samesite": "strict", "secure": over_tls}
    response.set_cookie(SESSION_COOKIE, secret, max_age=life, **attributes)
