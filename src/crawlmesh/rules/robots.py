"""robots.txt: what a host allows (RFC 9309)."""

from protego import Protego

MAX_ROBOTS_LENGTH = 500 * 1024  # characters; the standard asks for at least as many bytes


class RobotsRules:
    """What a host's answer for its robots.txt means for one user agent.

    No such file (4xx) and redirects without end (3xx) allow everything. A server that fails (5xx) or cannot
    be reached (None, 0) disallows everything for now: `unavailable` says that asking again may help.
    """

    __slots__ = ("_robots", "_user_agent", "unavailable")

    def __init__(self, status: int | None, text: str | None, user_agent: str) -> None:
        self.unavailable = not status or status >= 500
        self._user_agent = user_agent
        self._robots = _parse(text) if text and status and 200 <= status < 300 else None

    def allows(self, url: str, user_agent: str | None = None) -> bool:
        """Whether the user agent, or another one, may request a URL of the host."""
        if self._robots is None:
            return not self.unavailable
        return self._robots.can_fetch(url, user_agent or self._user_agent)

    def crawl_delay(self) -> float | None:
        """Seconds between two requests that the host asks for, if it does."""
        return None if self._robots is None else self._robots.crawl_delay(self._user_agent)

    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the file names, as it spells them: they may be relative to it."""
        return () if self._robots is None else tuple(self._robots.sitemaps)


def _parse(text: str) -> Protego | None:
    """The parsed file; None where it holds nothing that can be understood."""
    text = text.removeprefix("\ufeff")
    if len(text) > MAX_ROBOTS_LENGTH:
        # A line that is cut in two could disallow more than its author meant.
        text = text[:MAX_ROBOTS_LENGTH].rpartition("\n")[0]
    try:
        return Protego.parse(text)
    except ValueError:
        return None
