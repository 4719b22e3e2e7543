"""What nginx saw: which pages were fetched, how often, and between which moments."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit


@dataclass(frozen=True)
class ServerView:
    """A run as the server saw it. `duplicates` are fetches of a page beyond its first."""

    requests: int
    missing: int
    duplicates: int
    foreign: int  # requests for what is no page of the site (robots.txt, …)
    active_seconds: float  # from the first answer to the last


def read_access_log(log: Path, manifest: Iterable[str]) -> ServerView:
    """Compare an access log with the list of all canonical URLs."""
    expected = set(manifest)
    fetched: Counter[str] = Counter()
    moments: list[float] = []
    for line in log.read_text().splitlines():
        moment, status, url = line.split(" ", 2)
        moments.append(float(moment))
        if status == "200":
            fetched[_canonical(url)] += 1
    pages = {url: count for url, count in fetched.items() if url in expected}
    return ServerView(
        requests=len(moments),
        missing=len(expected) - len(pages),
        duplicates=sum(pages.values()) - len(pages),
        foreign=len(moments) - sum(pages.values()),
        active_seconds=max(moments) - min(moments) if moments else 0.0,
    )


def _canonical(url: str) -> str:
    """Query parameters in order; no fragment ever reaches a server."""
    if "?" not in url:
        return url
    parts = urlsplit(url)
    return parts._replace(query=urlencode(sorted(parse_qsl(parts.query)))).geturl()
