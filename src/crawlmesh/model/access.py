"""Who may do what: API keys, their roles, and the sessions of browsers."""

from enum import StrEnum

import msgspec


class Role(StrEnum):
    """What the bearer of a key may do. Each may also do what the ones below it may, but for `node`."""

    ADMIN = "admin"  # keys, clusters, removing nodes
    OPERATOR = "operator"  # submit and steer tasks, drain nodes
    VIEWER = "viewer"  # look at everything
    NODE = "node"  # register a node with it: a join token


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key; only its SHA-256 hash is kept. With `session_of` it is the session of a browser.

    A session has the role of the key whose id that is, and is worth nothing without it.
    """

    id: str
    name: str
    role: Role
    hash: str  # hexadecimal
    created_at: float = 0.0
    expires_at: float | None = None
    last_used_at: float | None = None
    session_of: str | None = None
