"""`/api/v1/keys` and `/api/v1/whoami`."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import ADMINS, EVERYBODY, caller
from crawlmesh.api.bodies import BodyReader, answer, nothing
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.paths import KeyId
from crawlmesh.api.requests import KeyRequest
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.nodes import KeyShape, key_shape
from crawlmesh.control.keys import create_key, delete_key, list_keys
from crawlmesh.errors import ConflictError

router = APIRouter(prefix="/api/v1")

_NEW = BodyReader(KeyRequest)


class KeysAnswer(msgspec.Struct, frozen=True):
    """All keys, oldest first, without their secrets."""

    items: Sequence[KeyShape]


@router.get(
    "/keys",
    **operation(
        "list_keys",
        "List keys",
        tag="keys",
        roles=ADMINS,
        success=Success(KeysAnswer, {"items": [examples.KEY]}),
    ),
)
async def get_keys(request: Request) -> Response:
    """All keys, without their secrets."""
    return answer(KeysAnswer([key_shape(key) for key in await list_keys(context_of(request))]))


@router.post(
    "/keys",
    **operation(
        "create_key",
        "Make a key",
        tag="keys",
        roles=ADMINS,
        description="409: `expires_at` has passed already.",
        body=Body(KeyRequest, {"name": "dashboard", "role": "viewer"}),
        success=Success(
            KeyShape,
            {**examples.KEY, "key": "cm_4fzsJq0yqjB1c0mR5rP3y7YwQ2n8d6LkT1vXhZ9aBcE"},
            201,
            "It was made; the secret is told only here.",
        ),
        errors=(409,),
    ),
)
async def post_key(request: Request) -> Response:
    """Only the hash of its secret is kept."""
    new = await _NEW.read(request)
    expires_at = new.expires_at.timestamp() if isinstance(new.expires_at, datetime) else new.expires_at
    made = await create_key(context_of(request), new.name, new.role, expires_at)
    return answer(key_shape(made.key, made.secret), 201)


@router.delete(
    "/keys/{key_id:id}",
    **operation(
        "delete_key",
        "Forget a key",
        tag="keys",
        roles=ADMINS,
        success=Success(None, status=204, description="It opens nothing any more."),
        errors=(404, 409),
    ),
)
async def remove_key(request: Request, key_id: KeyId) -> Response:
    """Other masters know of it within seconds."""
    key = await caller(request)
    if (key.session_of or key.id) == key_id:
        raise ConflictError(f"The key {key_id!r} is the one you use. Delete it with another key.")
    await delete_key(context_of(request), key_id)
    return nothing()


@router.get(
    "/whoami",
    **operation(
        "whoami",
        "The name and role behind the key",
        tag="keys",
        roles=EVERYBODY,
        success=Success(KeyShape, examples.KEY),
    ),
)
async def whoami(request: Request) -> Response:
    """Whose key this is."""
    return answer(key_shape(await caller(request)))
