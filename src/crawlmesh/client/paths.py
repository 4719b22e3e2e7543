"""Ids in paths."""

from urllib.parse import quote

from crawlmesh.errors import NotFoundError

_IN_NO_ID = frozenset("/:\0")


def path_part(kind: str, identity: str) -> str:
    """An id, fit for a path. Raises NotFoundError where none looks like this: it would be another path."""
    if not identity or not _IN_NO_ID.isdisjoint(identity):
        raise NotFoundError(f"There is no {kind} {identity!r}.")
    return quote(identity, safe="")
