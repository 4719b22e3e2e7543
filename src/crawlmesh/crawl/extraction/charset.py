"""Finds the encoding of a page and turns its bytes into text. Never fails, whatever a server sent."""

import re

from crawlmesh.crawl.extraction.encoding_labels import codec_for_label

UTF_8 = "utf-8"
_FALLBACK = "cp1252"
_PRESCAN_BYTES = 1024  # how far the HTML standard looks for a declaration
_GUESS_BYTES = 64 * 1024
_BYTE_ORDER_MARKS = ((b"\xef\xbb\xbf", UTF_8), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_NOT_ASCII_COMPATIBLE = frozenset({"utf-16-le", "utf-16-be", "iso2022-jp"})

_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META_CHARSET = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"\A\s*<\?xml\s[^>]*?encoding\s*=\s*[\"']([\w:.-]+)[\"']", re.IGNORECASE)


def find_encoding(body: bytes, label: str | None) -> str:
    """The Python codec of a page. `label` is the charset of its Content-Type header."""
    if body[:2] in (b"\xef\xbb", b"\xff\xfe", b"\xfe\xff"):
        for mark, codec in _BYTE_ORDER_MARKS:
            if body.startswith(mark):
                return codec
    declared = codec_for_label(label) if label else None
    return declared or _declared_inside(body) or _guess(body)


def without_mark(body: bytes, codec: str) -> bytes:
    """The bytes after the byte order mark of this codec, if there is one."""
    for mark, marked_codec in _BYTE_ORDER_MARKS:
        if codec == marked_codec and body.startswith(mark):
            return body[len(mark) :]
    return body


def decode(body: bytes, codec: str) -> str:
    """The text of a page. Bytes that the codec cannot read become U+FFFD."""
    return without_mark(body, codec).decode(codec, "replace")


def reads_as_utf_8(body: bytes, codec: str) -> bool:
    """Whether the bytes mean the same in UTF-8, so that a parser can take them as they are."""
    return codec == UTF_8 or (body.isascii() and codec not in _NOT_ASCII_COMPATIBLE)


def _declared_inside(body: bytes) -> str | None:
    head = body[:_PRESCAN_BYTES]
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    found = _META_CHARSET.search(head) or _XML_ENCODING.search(head)
    codec = codec_for_label(found[1].decode("ascii", "replace")) if found else None
    # A declaration that could be read as ASCII cannot be true about UTF-16.
    return UTF_8 if codec in ("utf-16-le", "utf-16-be") else codec


def _guess(body: bytes) -> str:
    if body.isascii():
        return UTF_8
    try:
        body.decode(UTF_8)
    except UnicodeDecodeError as error:
        cut_off = (
            error.reason == "unexpected end of data" and error.start >= len(body) - 3 and error.start > 0
        )
        return UTF_8 if cut_off and not body[: error.start].isascii() else _guess_from_statistics(body)
    return UTF_8


def _guess_from_statistics(body: bytes) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - slow to import, and hardly a page needs it

    best = from_bytes(body[:_GUESS_BYTES]).best()
    if best is None:
        return _FALLBACK
    return codec_for_label(best.encoding.replace("_", "-")) or codec_for_label(best.encoding) or _FALLBACK
