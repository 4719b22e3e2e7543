"""Links on their way into the server and out of it: what the scripts call loads, bodies and entries."""

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec

from crawlmesh.model.link import FoundBy, LeasedLink, NewLink, SkippedLink

FOUND_BY = tuple(FoundBy)
_FOUND_BY_CODES = {found_by: code for code, found_by in enumerate(FOUND_BY)}

_encoder = msgspec.msgpack.Encoder()
_decode = msgspec.msgpack.Decoder().decode


def packed(value: Any) -> bytes:
    """A value as MessagePack; texts lose what cannot be encoded, such as lone surrogates."""
    try:
        return _encoder.encode(value)
    except UnicodeEncodeError:
        return _encoder.encode(_cleaned(value))


def unpacked(blob: bytes) -> Any:
    """The value of a MessagePack."""
    return _decode(blob)


def clean(text: str) -> str:
    """A text without lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value


class Entry(NamedTuple):
    """A link as it is stored: id, body, last outcome, and more after several attempts or rounds."""

    id: int
    body: Sequence[Any]
    outcome: Sequence[Any] | None = None
    more: Sequence[Any] | None = None

    @property
    def url(self) -> str:
        """The canonical URL."""
        return str(self.body[0])

    @property
    def request_url(self) -> str | None:
        """What goes out to the server where that is another URL."""
        return self.body[6] if len(self.body) > 6 else None

    def round(self) -> int:
        """The round of the crawl in which the last outcome was settled."""
        return int(self.more[0]) if self.more else 0


def entry_from(blob: bytes) -> Entry:
    """An entry as the server keeps it."""
    return Entry(*_decode(blob))


def leased_link(blob: bytes, crawl_id: str, crawl_round: int) -> LeasedLink:
    """A link that is handed out."""
    entry = Entry(*_decode(blob))
    body, outcome, more = entry.body, entry.outcome, entry.more
    attempts, etag, modified = 0, None, None
    if outcome is not None:
        if entry.round() == crawl_round:
            attempts = outcome[1]
        etag, modified = outcome[8] or None, outcome[9] or None
        if more:
            etag, modified = more[1] or etag, more[2] or modified
    url, depth, priority, found_by = body[:4]
    request_url, redirects = (body[6], body[5]) if len(body) > 5 else (None, 0)
    return LeasedLink(
        entry.id,
        crawl_id,
        url,
        depth,
        priority,
        attempts + 1,
        request_url,
        redirects,
        etag,
        modified,
        FOUND_BY[found_by],
    )


def load_of(links: Sequence[NewLink], skipped: Sequence[SkippedLink]) -> list[bytes]:
    """The arguments by which a script adds links and skips; see `lua/adding.lua`."""
    hosts: dict[str, int] = {}
    rules: dict[str, int] = {}
    host_numbers = [hosts.setdefault(link.host, len(hosts)) for link in links]
    rule_numbers = [rules.setdefault(skip.rule, len(rules)) for skip in skipped]
    header = [_runs(links), [clean(host) for host in hosts], _runs(skipped), [clean(rule) for rule in rules]]
    bodies, skip_bodies = [_body(link) for link in links], [_skip_body(skip) for skip in skipped]
    return [
        packed(header),
        b"".join([link.fingerprint for link in links]),
        _numbers("H", host_numbers),
        bytes([min(255, max(0, link.priority)) for link in links]),
        _templates(links),
        _numbers("I", accumulate(map(len, bodies))),
        b"".join(bodies),
        b"".join([skip.fingerprint for skip in skipped]),
        _numbers("H", rule_numbers),
        _numbers("I", accumulate(map(len, skip_bodies))),
        b"".join(skip_bodies),
    ]


def _numbers(kind: str, numbers: Iterable[int]) -> bytes:
    """Numbers of 2, 4 or 8 bytes, little-endian."""
    row = array(kind, numbers)
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()


def _runs(items: Sequence[NewLink] | Sequence[SkippedLink]) -> list[list[Any]]:
    """How many of them follow one another with the same crawl."""
    runs: list[list[Any]] = []
    last = None
    for item in items:
        if item.crawl_id != last:
            last = item.crawl_id
            runs.append([last, 0])
        runs[-1][1] += 1
    return runs


def _templates(links: Iterable[NewLink]) -> bytes:
    templates = [link.template for link in links]
    return _numbers("Q", templates) if any(templates) else b""


def _body(link: NewLink) -> bytes:
    """What is kept of a link. Its host is left out where the URL says it."""
    start = (link.url, link.depth, link.priority, _FOUND_BY_CODES[link.found_by], link.parent_id)
    url_parts = link.url.split("/", 3)
    host = None if len(url_parts) > 2 and url_parts[2] == link.host else link.host
    if host is None and link.request_url is None and not link.redirects:
        return packed(start)
    return packed((*start, link.redirects, link.request_url, host))


def _skip_body(skip: SkippedLink) -> bytes:
    return packed((skip.url, skip.rule, skip.parent_id or False, skip.depth))
