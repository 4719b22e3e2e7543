"""URL identity: which references lead to the same page, and what to request for them."""

import re
from hashlib import blake2b

import msgspec

from crawlmesh.rules.tracking_parameters import (
    DEFAULT_TRACKING_PARAMETERS,
    NO_PARAMETERS_IGNORED,
    ParameterFilter,
)
from crawlmesh.rules.url_template import template_key, url_template
from crawlmesh.rules.whatwg_parser import resolve_href

__all__ = [
    "DEFAULT_TRACKING_PARAMETERS",
    "NO_PARAMETERS_IGNORED",
    "CanonicalUrl",
    "KnownOrigins",
    "LinkResolver",
    "ParameterFilter",
    "canonicalize",
    "document_base",
    "fingerprint_of",
    "template_key",
    "url_template",
]

_FINGERPRINT_BYTES = 16
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

# An escape after a stray "%" or "%4" stays as it is: decoding it could make up a new escape.
_ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")

# A prefix that is resolved once for each page; a path and a query that resolution leaves as they are
# (but for dot segments further on in the path, which the caller looks for); a fragment.
_PLAIN_LINK = re.compile(
    r"(/|https?://[a-z0-9.:-]+/|(?:\.\./)*+)"
    r"((?:[A-Za-z0-9_-][A-Za-z0-9/_.-]*+)?)"
    r"(\?[A-Za-z0-9_.~/:;,=&+-]*+)?"
    r"(?:\#.*)?",
    re.DOTALL,
).fullmatch


class CanonicalUrl(msgspec.Struct, frozen=True, gc=False):
    """A URL with its identity.

    `url` is the canonical form. `request_url` is what to ask the server for: as found and resolved, less
    its fragment. `host` has its port where that is not the default one of the scheme.
    """

    url: str
    request_url: str
    host: str
    scheme: str  # "http" or "https"
    fingerprint: bytes  # 16 bytes, of `url`


def canonicalize(
    reference: str, base: str | None = None, ignored_parameters: ParameterFilter = NO_PARAMETERS_IGNORED
) -> CanonicalUrl | None:
    """Resolve a reference as a browser does and find its identity; None where it is no HTTP URL.

    The canonical form is the WHATWG serialisation less fragment, empty query and the host's trailing dot;
    percent-escapes are in upper case and only where needed, query parameters are sorted, and the
    ignored ones are gone.
    """
    href = resolve_href(reference, base)
    return None if href is None else _identify(href, ignored_parameters)


def document_base(page_url: str, base_href: str | None) -> str:
    """The URL that a page's links are relative to, given the `href` of its `<base>` element, if any."""
    if base_href is None:
        return page_url
    resolved = resolve_href(base_href, page_url)
    if resolved is None or resolved.startswith(("data:", "javascript:")):
        return page_url
    return resolved


def fingerprint_of(url: str) -> bytes:
    """The 16 bytes by which stores know a canonical URL."""
    return blake2b(url.encode(), digest_size=_FINGERPRINT_BYTES).digest()


class LinkResolver:
    """Finds the identity of the links of one page: as `canonicalize` does, but fast for plain ones."""

    __slots__ = ("_base", "_ignored_parameters", "_origins", "_prefixes")

    def __init__(
        self,
        page_url: str,
        base_href: str | None = None,
        ignored_parameters: ParameterFilter = NO_PARAMETERS_IGNORED,
        known_origins: "KnownOrigins | None" = None,
    ) -> None:
        """`known_origins` may be shared by the resolvers of many pages: it spares most of the parsing."""
        self._base = document_base(page_url, base_href)
        self._ignored_parameters = ignored_parameters
        self._prefixes: KnownOrigins = {}
        self._origins = self._prefixes if known_origins is None else known_origins

    def resolve(self, href: str) -> CanonicalUrl | None:
        """The identity of a link of the page; None where it does not lead to an HTTP URL."""
        match = _PLAIN_LINK(href)
        if match is None:
            return canonicalize(href, self._base, self._ignored_parameters)
        prefix, path, query = match.groups()
        if "/." in path or not (path or prefix):
            return canonicalize(href, self._base, self._ignored_parameters)
        prefixes = self._origins if prefix[:1] == "h" else self._prefixes
        try:
            known = prefixes[prefix]
        except KeyError:
            known = prefixes[prefix] = self._learn(prefix)
        if known is None:
            return None
        url_prefix, request_prefix, host, scheme, prefix_hash = known
        tail = path if query is None else path + _canonical_search(query, self._ignored_parameters)
        url = url_prefix + tail
        url_hash = prefix_hash.copy()
        url_hash.update(tail.encode())
        if request_prefix is None and query is None:
            return CanonicalUrl(url, url, host, scheme, url_hash.digest())
        request_url = (request_prefix or url_prefix) + path + (query or "")
        return CanonicalUrl(url, request_url, host, scheme, url_hash.digest())

    def _learn(self, prefix: str) -> "_Prefix | None":
        identity = canonicalize(prefix or ".", self._base, self._ignored_parameters)
        if identity is None:
            return None
        url, request_url = identity.url, identity.request_url
        prefix_hash = blake2b(url.encode(), digest_size=_FINGERPRINT_BYTES)
        return url, (None if request_url == url else request_url), identity.host, identity.scheme, prefix_hash


# Canonical prefix, prefix to request where that differs, host, scheme, hash of the canonical prefix.
_Prefix = tuple[str, str | None, str, str, blake2b]

# What was learnt of "https://host/": the same on every page.
KnownOrigins = dict[str, _Prefix | None]


def _identify(href: str, ignored_parameters: ParameterFilter) -> CanonicalUrl | None:
    """The identity of a serialised URL. The serialisation guarantees a path, and that marks are escaped."""
    scheme, separator, _ = href.partition("://")
    if not separator or scheme not in ("http", "https"):
        return None
    request_url = href.partition("#")[0]
    path_start = request_url.index("/", len(scheme) + 3)
    userinfo, at_sign, host = request_url[len(scheme) + 3 : path_start].rpartition("@")
    if host[-1] == "." or ".:" in host:
        host = _without_trailing_dot(host)
        if not host:
            return None
    tail = _canonical_tail(request_url[path_start:], ignored_parameters)
    url = f"{scheme}://{userinfo}{at_sign}{host}{tail}"
    if url == request_url:
        request_url = url
    return CanonicalUrl(url, request_url, host, scheme, fingerprint_of(url))


def _without_trailing_dot(host: str) -> str:
    """The host less its root dot; empty where it ends in an empty label, which no name has."""
    name, colon, port = host.partition(":")
    name = name[:-1]
    if not name or name[-1] == ".":
        return ""
    return name + colon + port


def _canonical_tail(tail: str, ignored_parameters: ParameterFilter) -> str:
    if "%" in tail:
        tail = _ESCAPE.sub(_normal_escape, tail)
    query_start = tail.find("?")
    if query_start < 0:
        return tail
    return tail[:query_start] + _canonical_search(tail[query_start:], ignored_parameters)


def _canonical_search(search: str, ignored_parameters: ParameterFilter) -> str:
    """The canonical form of a query with its `?`; empty where nothing follows that."""
    if "&" not in search and not ignored_parameters:
        return search if len(search) > 1 else ""
    pieces = [piece.partition("=") for piece in search[1:].split("&") if piece]
    if ignored_parameters:
        pieces = [piece for piece in pieces if not ignored_parameters.ignores(piece[0])]
    if not pieces:
        return ""
    pieces.sort()
    return "?" + "&".join([name + equals + value for name, equals, value in pieces])


def _normal_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()
