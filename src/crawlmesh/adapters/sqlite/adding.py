"""Adding links and skips: exact dedup, template limits, and the queue."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.session import CrawlEntry, Session
from crawlmesh.model.link import NewLink, SkippedLink

_INSERT_LINKS = """
INSERT INTO links (number, crawl, fingerprint, url, request_url, host, depth, priority, parent, found_by,
                   redirects)
SELECT :first + key, :crawl, substr(:fingerprints, key * 16 + 1, 16), value->>0, value->>1, value->>2,
       value->>3, value->>4, value->>5, value->>6, value->>7
FROM json_each(:rows)
"""

_INSERT_QUEUE = """
INSERT INTO queue (host, rank, link, crawl, attempt)
SELECT host, 10 - priority, number, crawl, 0 FROM links WHERE number BETWEEN :first AND :last
"""

_COUNT_QUEUED = """
UPDATE hosts SET
    ready_at = CASE WHEN queued = 0 THEN max(ready_at, :now) ELSE ready_at END,
    queued = queued + (counted.value->>1)
FROM json_each(:rows) AS counted WHERE number = (counted.value->>0)
"""

_COUNT_HOST_PROGRESS = """
INSERT INTO host_progress (crawl, host, queued)
SELECT value->>0, value->>1, value->>2 FROM json_each(:rows) WHERE true
ON CONFLICT (crawl, host) DO UPDATE SET queued = queued + excluded.queued
"""

_COUNT_TEMPLATES = """
INSERT INTO templates (crawl, template, links)
SELECT value->>0, value->>1, value->>2 FROM json_each(:rows) WHERE true
ON CONFLICT (crawl, template) DO UPDATE SET links = excluded.links
"""

_NEW_SKIPS_BY_RULE = """
SELECT json_group_array(json_array(crawl, rule, number)) FROM (
    SELECT value->>0 AS crawl, value->>2 AS rule, count(*) AS number
    FROM json_each(:rows) AS given
    WHERE NOT EXISTS (
        SELECT 1 FROM skips
        WHERE crawl = (given.value->>0) AND fingerprint = substr(:fingerprints, given.key * 16 + 1, 16)
    )
    GROUP BY 1, 2
)
"""

_INSERT_SKIPS = """
INSERT OR IGNORE INTO skips (crawl, fingerprint, url, rule, parent, depth)
SELECT value->>0, substr(:fingerprints, key * 16 + 1, 16), value->>1, value->>2, value->>3, value->>4
FROM json_each(:rows)
"""


def add(session: Session, links: Sequence[NewLink], skipped: Sequence[SkippedLink]) -> int:
    """Add links that no lease stands behind. Returns how many were new."""
    for crawl_id in {link.crawl_id for link in links} | {skip.crawl_id for skip in skipped}:
        session.entry(crawl_id)
    added, trapped = add_links(session, links)
    add_skips(session, [*skipped, *trapped])
    session.flush()
    return added


def add_links(session: Session, links: Iterable[NewLink]) -> tuple[int, list[SkippedLink]]:
    """Add what is new. Returns how many, and the links that their template's limit keeps out."""
    new: dict[int, list[NewLink]] = {}  # by crawl
    trapped: list[SkippedLink] = []
    templates: dict[tuple[int, int], int] = {}
    for link in links:
        entry = session.entry(link.crawl_id)
        if link.fingerprint in entry.known:
            continue
        if link.template and not _count_template(entry, link, templates):
            trapped.append(_as_skip(link))
            continue
        entry.known.add(link.fingerprint)
        new.setdefault(entry.number, []).append(link)
    for number, found in new.items():
        _write_links(session, session.entry_of(number), found)
    session.write_rows(_COUNT_TEMPLATES, [(*key, number) for key, number in templates.items()])
    return sum(len(found) for found in new.values()), trapped


def _write_links(session: Session, entry: CrawlEntry, links: list[NewLink]) -> None:
    rows = [_link_row(session, entry, link) for link in links]
    fingerprints = b"".join([link.fingerprint for link in links])
    first = session.last_link + 1
    session.last_link += len(links)
    session.write_rows(_INSERT_LINKS, rows, first=first, crawl=entry.number, fingerprints=fingerprints)
    session.run(_INSERT_QUEUE, first=first, last=session.last_link)
    count_queued(session, Counter((entry.number, row[2]) for row in rows))
    session.touch(entry).pending += len(links)


def _count_template(entry: CrawlEntry, link: NewLink, changed: dict[tuple[int, int], int]) -> bool:
    number = entry.templates.get(link.template, 0)
    limit = entry.crawl.max_pages_per_template
    if limit is not None and number >= limit:
        return False
    entry.templates[link.template] = changed[entry.number, link.template] = number + 1
    return True


def _as_skip(link: NewLink) -> SkippedLink:
    return SkippedLink(link.crawl_id, link.fingerprint, link.url, "template", link.parent_id, link.depth)


def _link_row(session: Session, entry: CrawlEntry, link: NewLink) -> tuple[Any, ...]:
    return (
        link.url,
        link.request_url,
        session.host_number(link.host, entry.crawl),
        link.depth,
        link.priority,
        link.parent_id,
        link.found_by,
        link.redirects,
    )


def count_queued(session: Session, counts: Counter[tuple[int, int]]) -> None:
    """Links came into the queue: count them for (crawl, host)."""
    hosts: Counter[int] = Counter()
    for (_, host), number in counts.items():
        hosts[host] += number
    session.write_rows(_COUNT_QUEUED, list(hosts.items()), now=session.clock.now())
    count_host_progress(session, counts)


def count_host_progress(session: Session, counts: Counter[tuple[int, int]]) -> None:
    """Pending links of (crawl, host) became more or fewer."""
    rows = [(crawl, host, number) for (crawl, host), number in counts.items()]
    session.write_rows(_COUNT_HOST_PROGRESS, rows)


def add_skips(session: Session, skipped: Sequence[SkippedLink]) -> None:
    """Write skips into the ledger and count those that are new."""
    distinct = {(skip.crawl_id, skip.fingerprint): skip for skip in reversed(skipped)}
    if not distinct:
        return
    rows = [
        (session.entry(skip.crawl_id).number, skip.url, skip.rule, skip.parent_id, skip.depth)
        for skip in distinct.values()
    ]
    given = msgspec.json.encode(rows).decode()
    fingerprints = b"".join(fingerprint for _, fingerprint in distinct)
    counts = session.one(_NEW_SKIPS_BY_RULE, rows=given, fingerprints=fingerprints)
    session.run(_INSERT_SKIPS, rows=given, fingerprints=fingerprints)
    for number, rule, skips in msgspec.json.decode(counts, type=list[tuple[int, str, int]]):
        session.touch(session.entry_of(number)).count_skips({rule: skips})
