"""URL templates: the shape that the URLs of one kind of page share."""

import re
from hashlib import blake2b

_MAX_KEY = (1 << 63) - 1

_DIGITS = re.compile(r"[0-9]+")
_NOT_ONLY_DIGITS_VARY = re.compile(r"%|[0-9A-Fa-f-]{12}").search
# Escapes come first so that their digits stay. Long digit runs are numbers, not hexadecimal.
_VARIABLE_PART = re.compile(
    r"""
    %[0-9A-Fa-f]{2}
    | (?<![0-9A-Za-z]) [0-9A-Fa-f]{8} (?:-[0-9A-Fa-f]{4}){3} -[0-9A-Fa-f]{12} (?![0-9A-Za-z])
    | (?<![0-9A-Za-z]) (?=[A-Fa-f]*[0-9]) (?=[0-9]*[A-Fa-f]) [0-9A-Fa-f]{12,} (?![0-9A-Za-z])
    | [0-9]+
    """,
    re.VERBOSE,
)


def url_template(url: str) -> str:
    """The template of a canonical URL: what stays when numbers, identifiers and values are taken out.

    Host and path with `{n}` for a run of digits and `{h}` for a UUID or 12 and more hexadecimal digits;
    then the sorted names of the query parameters, each once, with `{v}` for their values.
    """
    authority, slash, tail = url.partition("://")[2].partition("/")
    path, _, query = tail.partition("?")
    template = authority + slash + _path_template(path)
    if not query:
        return template
    names = sorted({piece.partition("=")[0] for piece in query.split("&")})
    return template + "?" + "&".join([name + "={v}" for name in names])


def template_key(url: str) -> int:
    """A 63-bit hash of the URL's template. Never 0, which stands for links that are not counted."""
    digest = blake2b(url_template(url).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") & _MAX_KEY or 1


def _path_template(path: str) -> str:
    if _NOT_ONLY_DIGITS_VARY(path) is None:
        return _DIGITS.sub("{n}", path)
    return _VARIABLE_PART.sub(_placeholder, path)


def _placeholder(match: re.Match[str]) -> str:
    text = match[0]
    if text[0] == "%":
        return text
    return "{n}" if text.isdigit() else "{h}"
