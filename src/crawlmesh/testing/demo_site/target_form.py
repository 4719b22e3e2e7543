"""The one canonical form of a request target, so that the server knows every variant of a page."""

from urllib.parse import quote, unquote_to_bytes

_KEPT = "/:@!$&'()*+,;=~-._"  # never percent-encoded in the site's paths


def canonical_target(target: str) -> str:
    """Path and query as the manifest writes them: dot segments gone, parameters sorted."""
    path, _, query = target.partition("?")
    path = quote(unquote_to_bytes(path), safe=_KEPT)
    parameters = "&".join(sorted(part for part in query.split("&") if part))
    return _without_dot_segments(path) + (f"?{parameters}" if parameters else "")


def _without_dot_segments(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments and segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
