"""Secrets: how they are made, hashed and compared."""

import hashlib
import hmac
import secrets


def new_node_token() -> str:
    """64 hexadecimal characters (Y1)."""
    return secrets.token_hex(32)


def new_key_secret() -> str:
    """The secret of an API key."""
    return "cm_" + secrets.token_urlsafe(32)


def new_session_secret() -> str:
    """The secret of a session, for a cookie."""
    return "cms_" + secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """SHA-256, hexadecimal: all that is ever stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def same(hash_one: str, hash_two: str) -> bool:
    """Compares in a time that does not depend on where they differ."""
    return hmac.compare_digest(hash_one.encode(), hash_two.encode())
