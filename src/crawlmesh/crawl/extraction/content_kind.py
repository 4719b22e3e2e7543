"""What kind of content a page is: by its Content-Type header, else by its first bytes."""

import re
from enum import StrEnum
from functools import lru_cache


class DocumentKind(StrEnum):
    """The kinds of content that selectors treat differently."""

    HTML = "html"
    XML = "xml"
    JSON = "json"
    TEXT = "text"
    OTHER = "other"


_SNIFF_BYTES = 1024
_UNTOLD_TYPES = frozenset({"", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "*/*"})
_TEXT_TYPES = frozenset({"application/javascript", "application/x-javascript", "application/x-ndjson"})
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?\s*([^\s;\"']+)", re.IGNORECASE)
_HTML_START = re.compile(
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|div|p|a|h1|table)\b", re.IGNORECASE
)
_WHITESPACE = b" \t\r\n\f"


@lru_cache(maxsize=1024)
def read_content_type(header: str | None) -> tuple[DocumentKind | None, str | None]:
    """The kind (None: the header does not tell) and the charset label of a Content-Type header."""
    if not header:
        return None, None
    media_type = header.partition(";")[0].strip().lower()
    charset = _CHARSET.search(header)
    return _kind_of_media_type(media_type), charset[1] if charset else None


def sniff_kind(body: bytes) -> DocumentKind:
    """The kind of a page whose header does not tell."""
    if body[:2] in (b"\xff\xfe", b"\xfe\xff"):
        body = body[2 : _SNIFF_BYTES * 2].replace(b"\0", b"")
    head = body[:_SNIFF_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip(_WHITESPACE)
    if b"\0" in head or head[:2] == b"\x1f\x8b" or head[:5] == b"%PDF-":
        return DocumentKind.OTHER
    if head[:1] in (b"{", b"["):
        return DocumentKind.JSON
    if head[:5].lower() == b"<?xml":
        return DocumentKind.HTML if _HTML_START.search(head) else DocumentKind.XML
    if head[:1] == b"<" or _HTML_START.search(head):
        return DocumentKind.HTML
    return DocumentKind.TEXT


def _kind_of_media_type(media_type: str) -> DocumentKind | None:
    if media_type in ("text/html", "application/xhtml+xml"):
        return DocumentKind.HTML
    if media_type in _UNTOLD_TYPES or "/" not in media_type:
        return None
    if media_type.endswith(("/xml", "+xml")):
        return DocumentKind.XML
    if media_type.endswith(("/json", "+json")):
        return DocumentKind.JSON
    if media_type.startswith("text/") or media_type in _TEXT_TYPES:
        return DocumentKind.TEXT
    return DocumentKind.OTHER
