"""URL resolution as browsers do it (the WHATWG URL standard), by the ada parser."""

# The public functions of ada_url cost half as much again, for the finalizer that they attach to each result.
from ada_url import _ada_wrapper

_parse = _ada_wrapper.lib.ada_parse
_parse_with_base = _ada_wrapper.lib.ada_parse_with_base
_is_valid = _ada_wrapper.lib.ada_is_valid
_get_href = _ada_wrapper.lib.ada_get_href
_free = _ada_wrapper.lib.ada_free
_unpack = _ada_wrapper.ffi.unpack


def resolve_href(reference: str, base: str | None) -> str | None:
    """The serialised absolute URL of a reference, or None where a browser would see no URL in it."""
    reference_bytes = _encode(reference)
    if base is None:
        parsed = _parse(reference_bytes, len(reference_bytes))
    else:
        base_bytes = _encode(base)
        parsed = _parse_with_base(reference_bytes, len(reference_bytes), base_bytes, len(base_bytes))
    try:
        if not _is_valid(parsed):
            return None
        href = _get_href(parsed)
        serialised: str = _unpack(href.data, href.length).decode("ascii")
        return serialised
    finally:
        _free(parsed)


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        # As a browser does: what is left of broken surrogate pairs becomes U+FFFD.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
