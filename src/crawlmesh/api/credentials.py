"""What a request brings to prove who it is from.

A key or token as Bearer, a key as the password of Basic, or the cookie of a session. Browsers send the last
two by themselves once somebody has signed in, also with what pages of other sites make them post. So what
changes something is taken with them only where no other site can have made it.
"""

import base64
import binascii
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.requests import cookie_parser

from crawlmesh.errors import ForbiddenError, UnauthenticatedError

SESSION_COOKIE = "crawlmesh_session"

_BEARER = 'Bearer realm="crawlmesh"'
_BASIC = 'Basic realm="crawlmesh", charset="UTF-8"'  # makes browsers ask for a name and a password

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})  # `none`: the user's own doing, not that of a page
_DEFAULT_PORTS = {"http": 80, "https": 443}


def key_given(method: str, headers: Mapping[str, str]) -> str:
    """The key of a request, or the secret of its session; names of headers in lower case.

    Raises UnauthenticatedError where there is none, and ForbiddenError where another site may have sent it.
    """
    scheme, value = _authorization(headers)
    if scheme == "bearer":
        return token_given(headers)
    secret = _checked(_password(value) if scheme == "basic" else session_given(headers))
    if method not in _SAFE_METHODS:
        require_from_here(headers)
    return secret


def token_given(headers: Mapping[str, str]) -> str:
    """The key or token of a program. Raises UnauthenticatedError."""
    scheme, value = _authorization(headers)
    return _checked(value if scheme == "bearer" else "")


def session_given(headers: Mapping[str, str]) -> str:
    """The secret in the cookie of a session; empty where there is none."""
    return cookie_parser(headers.get("cookie", "")).get(SESSION_COOKIE, "")


def require_from_here(headers: Mapping[str, str]) -> None:
    """Raise ForbiddenError where a page of another site may have made this request."""
    if not is_from_here(headers):
        raise ForbiddenError(
            "A page of another site sent this with your sign-in, which is not taken for changes. "
            "Send the header `Authorization: Bearer KEY`."
        )


def challenges(headers: Mapping[str, str]) -> tuple[str, ...]:
    """How one may prove who one is. Scripts in pages are not told of Basic: the browser itself would ask."""
    accepted = headers.get("accept", "*/*")
    takes_any = "text/html" in accepted or "*/*" in accepted
    mode = headers.get("sec-fetch-mode", "navigate")
    from_script = mode != "navigate" or bool(session_given(headers)) or not takes_any
    return (_BEARER,) if from_script else (_BEARER, _BASIC)


def is_from_here(headers: Mapping[str, str]) -> bool:
    """Whether no page of another site made this request: one of this server did, or no page at all."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in _OWN_SITES
    origin = headers.get("origin")
    return origin is None or _is_origin_of(origin, headers.get("host", ""))


def _authorization(headers: Mapping[str, str]) -> tuple[str, str]:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return scheme.lower(), value.strip()


def _checked(secret: str) -> str:
    if not secret:
        raise UnauthenticatedError(
            "This needs a key. Send the header `Authorization: Bearer KEY`, or sign in with any name and "
            "the key as password."
        )
    if not secret.isascii():
        raise UnauthenticatedError("This key is not known. Keys consist of plain ASCII characters.")
    return secret


def _password(value: str) -> str:
    try:
        name_and_password = base64.b64decode(value, validate=True).decode()
    except (binascii.Error, ValueError):
        return ""
    return name_and_password.partition(":")[2]


def _is_origin_of(origin: str, host: str) -> bool:
    """Whether an origin is this server, whatever the scheme: a proxy before it may speak TLS."""
    scheme = origin.partition("://")[0]
    place = _place(origin)
    return place is not None and place == _place(f"{scheme}://{host}")


def _place(url: str) -> tuple[str, int] | None:
    """The host and the port of an http or https address; None: it has none."""
    try:
        parts = urlsplit(url)
        port = parts.port or _DEFAULT_PORTS[parts.scheme]
    except (KeyError, ValueError):
        return None
    return (parts.hostname, port) if parts.hostname else None
