"""Keeps pages away from the HTML parser on which its time grows with the square of their size.

Half a megabyte of `<div>` takes Lexbor 40 seconds, one tag with 50,000 attributes 10 seconds.
Browsers flatten a tree at 512 levels; here the source ends where it becomes deeper than 4,096, or
where a tag has more than 4,096 words.
"""

import re

MAX_DEPTH = 4096
MAX_TAG_WORDS = 4096
_UNCHECKED_BYTES = 64 * 1024  # whatever is in so few bytes, it is parsed in half a second
_CHUNK_BYTES = 16 * 1024

_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9-]*)([^<>]*)")
# Elements that have no content, or that end where the next one of their kind starts.
_FLAT_TAGS = frozenset(
    b"area base br col embed hr img input link meta param source track wbr "
    b"p li td th tr tbody thead tfoot option optgroup dt dd colgroup".split()
)
_DRAWING_TAGS = frozenset(b"path circle rect line polyline polygon ellipse use stop image g text".split())


def limit_nesting(source: bytes) -> bytes:
    """The source, cut off where it becomes too deep or a tag too long."""
    if len(source) <= _UNCHECKED_BYTES:
        return source
    source = source[: _endless_tag_from(source)]
    return source[: _too_deep_from(source)] if _may_be_deep(source) else source


def _may_be_deep(source: bytes) -> bool:
    """A cheap upper estimate, so that ordinary pages are not scanned tag by tag."""
    if source.count(b"<") <= MAX_DEPTH:
        return False
    surplus = 0
    for start in range(0, len(source), _CHUNK_BYTES):
        end = start + _CHUNK_BYTES
        surplus += source.count(b"<", start, end) - 2 * source.count(b"</", start, end)
        if surplus > MAX_DEPTH:
            return True
        surplus = max(surplus, 0)
    return False


def _too_deep_from(source: bytes) -> int:
    depth = 0
    for tag in _TAG.finditer(source):
        closing, name, rest = tag[1], tag[2].lower(), tag[3]
        if name in _FLAT_TAGS or (name in _DRAWING_TAGS and rest.endswith(b"/")):
            continue
        depth = max(depth - 1, 0) if closing else depth + 1
        if depth > MAX_DEPTH:
            return tag.start()
    return len(source)


def _endless_tag_from(source: bytes) -> int:
    for position in range(0, len(source), _CHUNK_BYTES):
        if source.find(b">", position, position + _CHUNK_BYTES) >= 0:
            continue
        start = source.rfind(b"<", 0, position + 1)
        if (
            start < 0
            or source.find(b">", start, position) >= 0
            or not source[start + 1 : start + 2].isalpha()
        ):
            continue
        end = source.find(b">", position)
        tag = source[start : end if end >= 0 else len(source)]
        if len(tag.split(None, MAX_TAG_WORDS)) > MAX_TAG_WORDS:
            return start
    return len(source)
