"""Hosts that the user allows beside those of the seeds."""

import re
from collections.abc import Iterable

from crawlmesh.errors import UsageError
from crawlmesh.rules.registrable_domain import host_name
from crawlmesh.rules.url_identity import canonicalize

_NOT_IN_A_HOST = re.compile(r"[\s/\\?#@*%]")


class AllowedHosts:
    """Host patterns: `example.com` for one host, `*.example.com` or `.example.com` for its subdomains.

    Without a port, a pattern stands for every port; with one, for that port only. The ports 80 and 443
    stand for hosts without a port, since canonical hosts do not name default ports.
    """

    __slots__ = ("_exact", "_suffixes", "patterns")

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(patterns)
        self._exact: set[tuple[str, str | None]] = set()  # name, port
        self._suffixes: list[tuple[str, str | None]] = []
        for pattern in self.patterns:
            is_suffix, name, port = _parse_pattern(pattern)
            if is_suffix:
                self._suffixes.append(("." + name, port))
            else:
                self._exact.add((name, port))

    def match(self, host: str) -> bool:
        """Whether a canonical host is allowed."""
        name = host_name(host)
        port = host[len(name) + 1 :]
        if (name, None) in self._exact or (name, port) in self._exact:
            return True
        return any(name.endswith(suffix) and wanted in (None, port) for suffix, wanted in self._suffixes)


def _parse_pattern(pattern: str) -> tuple[bool, str, str | None]:
    """Whether subdomains are meant, the canonical name, and the port: None for any, empty for a default."""
    authority = pattern.removeprefix("*.") if pattern.startswith("*.") else pattern.removeprefix(".")
    identity = None if _NOT_IN_A_HOST.search(authority) else canonicalize(f"http://{authority}/")
    if identity is None:
        raise UsageError(
            f"--allow-host {pattern!r} is not a host. Give one such as 'example.com' or 'example.com:8080' "
            "or, for all its subdomains, '*.example.com', without scheme, path and spaces."
        )
    name = host_name(identity.host)
    if authority.endswith((":80", ":443")):
        return authority != pattern, name, ""
    port = identity.host[len(name) + 1 :]
    return authority != pattern, name, port or None
