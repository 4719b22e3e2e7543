"""Header lines, as they are sent and as they arrive."""

from collections.abc import Iterable
from typing import TypeVar

from crawlmesh.adapters.curl.options import FetchOptions, check_header

Header = tuple[str, str]

# Status, HTTP version, headers with names in lower case, and the same as a mapping (the last of a name).
# A plain tuple, because one is made for every page.
ResponseHead = tuple[int, str, tuple[Header, ...], dict[str, str]]

_Parsed = TypeVar("_Parsed")

_FOLDED = ""  # stands for the name of a header that goes on
_REMEMBERED_LINES = 4096
_REMEMBERED_BYTES = 128
_DIFFERENT_ON_EVERY_PAGE = frozenset(
    {"content-length", "etag", "expires", "last-modified", "location", "set-cookie"}
)
_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


class HeadReader:
    """Reads response heads, remembering lines: most of them are the same on every page of a site."""

    def __init__(self) -> None:
        self._status_lines = _StatusLines()
        self._header_lines = _HeaderLines()

    def read(self, lines: list[bytes]) -> ResponseHead:
        """Read the status line and the header lines that libcurl handed over, line ends included."""
        status, version = self._status_lines[lines[0]]
        del lines[0]
        known = self._header_lines
        headers = tuple([known[line] for line in lines])
        fields = dict(headers)
        if _FOLDED in fields:
            headers = _unfold(headers)
            fields = dict(headers)
        return status, version, headers, fields


class _StatusLines(dict[bytes, tuple[int, str]]):
    """Status and HTTP version of status lines."""

    def __missing__(self, line: bytes) -> tuple[int, str]:
        # libcurl hands over only lines of the form "HTTP/<version> <three digits>".
        version, _, rest = line.partition(b" ")
        result = int(rest[:3]), version[5:].decode("latin-1")
        _remember(self, line, result)
        return result


class _HeaderLines(dict[bytes, Header]):
    """Names and values of header lines."""

    def __missing__(self, line: bytes) -> Header:
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon or name[:1] in " \t":
            return _FOLDED, line.decode("latin-1").strip()
        header = (name.rstrip().lower(), value.strip())
        if header[0] not in _DIFFERENT_ON_EVERY_PAGE:
            _remember(self, line, header)
        return header


def _remember(known: dict[bytes, _Parsed], line: bytes, result: _Parsed) -> None:
    if len(line) <= _REMEMBERED_BYTES:
        if len(known) >= _REMEMBERED_LINES:
            known.clear()
        known[line] = result


def _unfold(headers: Iterable[Header]) -> tuple[Header, ...]:
    """A folded line belongs to the one before it."""
    unfolded: list[Header] = []
    for name, value in headers:
        if name != _FOLDED:
            unfolded.append((name, value))
        elif unfolded and value:
            unfolded[-1] = (unfolded[-1][0], f"{unfolded[-1][1]} {value}")
    return tuple(unfolded)


class RequestHeaders:
    """The header lines for libcurl: the fetcher's own, with a request's on top."""

    def __init__(self, options: FetchOptions) -> None:
        own = [("Accept", _ACCEPT)]
        if options.accept_language:
            own.append(("Accept-Language", options.accept_language))
        own.append(("User-Agent", options.user_agent))
        self._base = _merge(own, options.headers)
        self.base_lines = _lines(self._base)

    def lines_with(self, headers: Iterable[Header]) -> list[bytes]:
        """All lines for a request with headers of its own. Raises `SettingError` for unsendable ones."""
        return _lines(_merge(self._base, headers))


def _merge(base: Iterable[Header], own: Iterable[Header]) -> list[Header]:
    """Headers of the same name replace those of `base`; several of one name in `own` all stay."""
    own = tuple(own)
    for name, value in own:
        check_header(name, value)
    replaced = {name.lower() for name, _ in own}
    return [header for header in base if header[0].lower() not in replaced] + list(own)


def _lines(headers: Iterable[Header]) -> list[bytes]:
    # "Name;" is libcurl's way to send a header without a value; "Name:" would suppress it.
    return [_encode(f"{name}: {value}" if value.strip() else f"{name};") for name, value in headers]


def _encode(line: str) -> bytes:
    try:
        return line.encode("latin-1")
    except UnicodeEncodeError:
        return line.encode("utf-8", "replace")
