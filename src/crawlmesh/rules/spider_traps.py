"""Spider traps: endless URL spaces, told by the form of a URL."""

import msgspec

from crawlmesh.rules.rule_names import PATH_LENGTH, REPEATED_SEGMENTS


class TrapLimits(msgspec.Struct, frozen=True):
    """Where a URL starts to look like a trap."""

    path_length: int = 2_000  # characters of path and query
    repeated_segments: int = 3  # how often a path segment may occur
    pages_per_template: int = 50_000  # enforced by the store


DEFAULT_TRAP_LIMITS = TrapLimits()


def refuse_trap(url: str, limits: TrapLimits = DEFAULT_TRAP_LIMITS) -> str | None:
    """The name of the rule by which a canonical URL is a trap, or None where it looks sound.

    A segment that occurs in the path more often than the limit is a trap, wherever it occurs: so are
    sequences, whose segments come back with them (`/a/b/a/b/a/b/a/b`). Numbers repeat in honest paths
    (`/volume/1/issue/1/page/1/note/1`), so they count only where they follow each other.
    """
    path_start = url.find("/", 8)
    if len(url) - path_start > limits.path_length:
        return PATH_LENGTH
    limit = limits.repeated_segments
    if url.count("/", path_start) <= limit:
        return None
    path = url[path_start:].partition("?")[0]
    return REPEATED_SEGMENTS if _repeats(path, limit) else None


def _repeats(path: str, limit: int) -> bool:
    segments = path.split("/")
    distinct = set(segments)
    if len(segments) - len(distinct) < limit:
        return False
    distinct.discard("")
    return any(_is_repeated(segment, segments, path, limit) for segment in distinct)


def _is_repeated(segment: str, segments: list[str], path: str, limit: int) -> bool:
    if segments.count(segment) <= limit:
        return False
    return not segment.isdigit() or ("/" + segment) * (limit + 1) + "/" in path + "/"
