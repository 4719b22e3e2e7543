"""Bodies of requests and answers: read within a limit, decoded straight into the messages' types."""

from typing import Any, Generic, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api.errors import TooLargeError, body_error
from crawlmesh.api.services import services_of
from crawlmesh.errors import InvalidError

Message = TypeVar("Message", bound=msgspec.Struct)

_ENCODER = msgspec.json.Encoder()
_EXACT_FLOAT = 2.0**53  # above it, floats skip whole numbers
_NUL_ESCAPE = b"\\u0000"  # the only way to write the character in JSON


class BodyReader(Generic[Message]):
    """Reads one kind of JSON body. Where it is not `required`, none is a message with all its defaults."""

    def __init__(self, message: type[Message], *, required: bool = True) -> None:
        self._required = required
        self._message = message
        self._decoder = msgspec.json.Decoder(message)
        self._known_fields = message.__struct_fields__

    async def read(self, request: Request) -> Message:
        """The message. Raises InvalidError and TooLargeError."""
        body = await read_body(request, services_of(request).options.body_bytes)
        return self.decode(body if body or self._required else b"{}")

    def decode(self, body: bytes) -> Message:
        """The message in a body. Raises InvalidError."""
        if not body:
            raise InvalidError("The body is missing. Send a JSON object.")
        try:
            message = self._decode(body)
        except msgspec.ValidationError as error:
            raise body_error(error, body, self._known_fields) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InvalidError(f"The body is not JSON that can be read: {error}.") from error
        if _NUL_ESCAPE in body and _has_nul(msgspec.json.decode(body)):
            raise InvalidError(
                "The body has a text with the character NUL, which no store keeps. Leave it out."
            )
        return message

    def _decode(self, body: bytes) -> Message:
        try:
            return self._decoder.decode(body)
        except msgspec.ValidationError as error:
            if "got `float`" not in str(error):
                raise
            return msgspec.convert(_with_whole_numbers(msgspec.json.decode(body)), self._message)


async def read_body(request: Request, limit: int) -> bytes:
    """The whole body, as long as it is not above the limit (bytes). Raises TooLargeError."""
    declared = request.headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)
    pieces: list[bytes] = []
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > limit:
            raise _too_large(limit)
        pieces.append(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _too_large(limit: int) -> TooLargeError:
    return TooLargeError(
        f"The body is larger than {limit} bytes, the most that this path takes. Send it in parts."
    )


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(_has_nul(key) or _has_nul(item) for key, item in value.items())
    return isinstance(value, list) and any(_has_nul(item) for item in value)


def _with_whole_numbers(value: Any) -> Any:
    """The same with 7 for 7.0: JSON has but one kind of numbers, and some clients write all of them so."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _EXACT_FLOAT:
        return int(value)
    if isinstance(value, dict):
        return {key: _with_whole_numbers(item) for key, item in value.items()}
    return [_with_whole_numbers(item) for item in value] if isinstance(value, list) else value


def answer(content: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """An answer in JSON."""
    return Response(_ENCODER.encode(content), status, headers, media_type="application/json")


def nothing() -> Response:
    """The answer where there is nothing to say."""
    return Response(status_code=204)
