"""Hosts as stores know them."""

import re

from crawlmesh.rules.url_identity import canonicalize

_IN_NO_HOST = re.compile(r"[/\\?#@\s]")
_DEFAULT_PORT = ":80"  # that of https is gone by then


def host_name(text: str) -> str | None:
    """A host with its port, as links carry it: in lower case, IDNA, without a default port; None: no host."""
    if _IN_NO_HOST.search(text):
        return None
    identity = canonicalize(f"https://{text}/")
    return None if identity is None else identity.host.removesuffix(_DEFAULT_PORT)
