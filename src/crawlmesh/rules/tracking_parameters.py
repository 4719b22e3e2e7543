"""Query parameters that do not tell pages apart."""

from collections.abc import Iterable

from crawlmesh.errors import SettingError

DEFAULT_TRACKING_PARAMETERS = (
    "utm_*",
    "gclid",
    "fbclid",
    "msclkid",
    "mc_cid",
    "mc_eid",
    "yclid",
    "_ga",
    "igshid",
)


class ParameterFilter:
    """Says which query parameters to leave out of a URL's identity.

    A name may end in `*`, which stands for any rest. Case matters, as it does in URLs.
    False in a condition where it leaves nothing out.
    """

    __slots__ = ("_names", "_prefixes", "patterns")

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self.patterns = tuple(patterns)
        for pattern in self.patterns:
            _check_pattern(pattern)
        self._names = frozenset(pattern for pattern in self.patterns if not pattern.endswith("*"))
        self._prefixes = tuple(pattern[:-1] for pattern in self.patterns if pattern.endswith("*"))

    def __bool__(self) -> bool:
        return bool(self.patterns)

    def __repr__(self) -> str:
        return f"ParameterFilter({self.patterns!r})"

    def ignores(self, name: str) -> bool:
        """Whether the parameter of this name is left out."""
        return name in self._names or name.startswith(self._prefixes)


NO_PARAMETERS_IGNORED = ParameterFilter()


def _check_pattern(pattern: str) -> None:
    if not pattern or "*" in pattern[:-1] or any(character in pattern for character in "&=# \t\n"):
        raise SettingError(
            f"The ignored parameter {pattern!r} is not a parameter name. "
            "Give a name such as 'gclid', or the start of names followed by one '*', such as 'utm_*'."
        )
