"""Which content types are of use."""

from collections.abc import Iterable

_REMEMBERED = 1024  # servers send few distinct values; the rest is worked out again


class ContentTypes:
    """A set of patterns: "type/subtype", "type/*" or "type/*+suffix"."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._exact: set[str] = set()
        self._families: list[tuple[str, str]] = []
        self._verdicts: dict[str, bool] = {}
        for pattern in patterns:
            before, star, after = pattern.lower().partition("*")
            if star:
                self._families.append((before, after))
            else:
                self._exact.add(before)

    def accept(self, header: str) -> bool:
        """Whether a body with this Content-Type header is wanted."""
        verdict = self._verdicts.get(header)
        if verdict is None:
            verdict = self._judge(header.partition(";")[0].strip().lower())
            if len(self._verdicts) < _REMEMBERED:
                self._verdicts[header] = verdict
        return verdict

    def _judge(self, media_type: str) -> bool:
        # What is not even a media type says nothing about the body, so the body is read.
        if "/" not in media_type or media_type in self._exact:
            return True
        return any(
            media_type.startswith(before) and media_type.endswith(after) for before, after in self._families
        )
