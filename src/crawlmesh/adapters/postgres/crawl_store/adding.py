"""Adding links and skips: exact dedup, template limits, and the queue."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from crawlmesh.adapters.postgres.crawl_store.changes import Changes
from crawlmesh.adapters.postgres.crawl_store.session import CrawlRow, Session, clean, unknown_crawl
from crawlmesh.model.link import NewLink, SkippedLink

# Links that are known already are the most: they cost a look into the index and nothing more.
_UNKNOWN = """
SELECT given.crawl, given.fingerprint, nextval('link_numbers')
FROM unnest($1::integer[], $2::bytea[]) AS given (crawl, fingerprint)
WHERE NOT EXISTS (
    SELECT FROM links{ending} AS links
    WHERE links.crawl = given.crawl AND links.fingerprint = given.fingerprint
)
"""

# Many small values cost the driver more than one large one. The crawl comes out of the subquery too, so that
# a plan made for an empty table looks both columns up in the index and does not read all links of the crawl.
_UNKNOWN_OF_ONE_CRAWL = """
SELECT given.crawl, given.fingerprint, nextval('link_numbers') FROM (
    SELECT $1::integer AS crawl, substr($2::bytea, place, 16) AS fingerprint
    FROM generate_series(1, length($2::bytea), 16) AS place OFFSET 0
) AS given
WHERE NOT EXISTS (
    SELECT FROM links{ending} AS links
    WHERE links.crawl = given.crawl AND links.fingerprint = given.fingerprint
)
"""

_INSERT_LINKS = """
WITH added AS (
    INSERT INTO links{ending} (crawl, fingerprint, number, url, request_url, host, depth, priority, parent,
                               found_by, redirects)
    SELECT * FROM unnest($1::integer[], $2::bytea[], $3::bigint[], $4::text[], $5::text[], $6::bigint[],
                         $7::integer[], $8::smallint[], $9::bigint[], $10::text[], $11::integer[])
    ON CONFLICT (crawl, fingerprint) DO NOTHING
    RETURNING crawl, host, priority, number
), queued AS (
    INSERT INTO queue{ending} (crawl, host, rank, link, attempt)
    SELECT crawl, host, 10 - priority, number, 0 FROM added
)
SELECT number FROM added
"""

_TEMPLATES = """
SELECT crawl, template, links FROM templates{ending}
WHERE (crawl, template) IN (SELECT * FROM unnest($1::integer[], $2::bigint[]))
"""

_COUNT_TEMPLATES = """
INSERT INTO templates{ending} AS templates (crawl, template, links)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[])
ON CONFLICT (crawl, template) DO UPDATE SET links = templates.links + excluded.links
RETURNING crawl, template, links
"""

_DELETE_LINKS = """
WITH gone AS (
    DELETE FROM links{ending} WHERE (crawl, number) IN (SELECT * FROM unnest($1::integer[], $2::bigint[]))
    RETURNING crawl, host, priority, number
)
DELETE FROM queue{ending} AS queue USING gone
WHERE queue.crawl = gone.crawl AND queue.host = gone.host AND queue.rank = 10 - gone.priority
    AND queue.link = gone.number
"""

_INSERT_SKIPS = """
INSERT INTO skips{ending} (crawl, fingerprint, url, rule, parent, depth)
SELECT * FROM unnest($1::integer[], $2::bytea[], $3::text[], $4::text[], $5::bigint[], $6::integer[])
ON CONFLICT (crawl, fingerprint) DO NOTHING
RETURNING crawl, rule
"""

_FINGERPRINT = 16  # bytes

_Template = tuple[int, int]  # a crawl's number and a template


async def add(session: Session, links: Sequence[NewLink], skipped: Sequence[SkippedLink]) -> int:
    """Add links that no lease stands behind. Returns how many were new."""
    crawl_ids = {link.crawl_id for link in links} | {skip.crawl_id for skip in skipped}
    crawls = await session.enter(crawl_ids)
    for crawl_id in crawl_ids:
        if crawl_id not in crawls:
            raise unknown_crawl(crawl_id)
    changes = Changes()
    added = await add_links(session, crawls, links, skipped, changes)
    await changes.write(session)
    return added


async def add_links(
    session: Session,
    crawls: dict[str, CrawlRow],
    links: Iterable[NewLink],
    skipped: Iterable[SkippedLink],
    changes: Changes,
) -> int:
    """Add what is new and gather what follows from it. Returns how many links were new."""
    new = await _unknown(session, crawls, links)
    new, trapped = await _within_templates(session, crawls, new)
    added = await _insert(session, crawls, new)
    skips = [*skipped, *map(_as_skip, trapped)]
    templates = Counter((number_of, link.template) for number_of, link in _templated(crawls, added))
    over = await _over_templates(session, crawls, templates)
    if over:
        taken_back = await _take_back(session, crawls, added, over)
        skips.extend(map(_as_skip, taken_back))
    hosts = await session.host_numbers({link.host: crawls[link.crawl_id] for link in added.values()})
    for link in added.values():
        crawl = crawls[link.crawl_id].number
        changes.share(crawl, hosts[link.host]).ready += 1
        changes.count(crawl, "pending")
    session.count_grown(crawls[link.crawl_id] for link in added.values())
    await _add_skips(session, crawls, skips, changes)
    return len(added)


async def _unknown(
    session: Session, crawls: dict[str, CrawlRow], links: Iterable[NewLink]
) -> dict[int, NewLink]:
    """Those links that the store does not know, by the numbers that they get, in their order."""
    distinct: dict[tuple[int, bytes], NewLink] = {}
    for link in links:
        distinct.setdefault((crawls[link.crawl_id].number, link.fingerprint), link)
    given = sorted(distinct)  # neighbours in the index are looked up one after another
    numbers = {crawl for crawl, _ in given}
    if len(numbers) == 1 and all(len(fingerprint) == _FINGERPRINT for _, fingerprint in given):
        fingerprints = b"".join(fingerprint for _, fingerprint in given)
        rows = await session.fetch_of_crawl(_UNKNOWN_OF_ONE_CRAWL, numbers.pop(), fingerprints)
    else:
        rows = await session.fetch_crawl_rows(_UNKNOWN, given)
    unknown = {(crawl, fingerprint) for crawl, fingerprint, _ in rows}
    new = [link for key, link in distinct.items() if key in unknown]
    return dict(zip(sorted(row[2] for row in rows), new, strict=True))


async def _within_templates(
    session: Session, crawls: dict[str, CrawlRow], new: dict[int, NewLink]
) -> tuple[dict[int, NewLink], list[NewLink]]:
    """The links that their templates have room for, as far as one can see, and the others."""
    limited = {
        number: (crawls[link.crawl_id].number, link.template)
        for number, link in new.items()
        if link.template and crawls[link.crawl_id].max_pages_per_template is not None
    }
    if not limited:
        return new, []
    rows = await session.fetch_crawl_rows(_TEMPLATES, sorted(set(limited.values())))
    counts: Counter[_Template] = Counter({(crawl, template): links for crawl, template, links in rows})
    fitting: dict[int, NewLink] = {}
    trapped: list[NewLink] = []
    for number, link in new.items():
        key = limited.get(number)
        if key is not None:
            limit = crawls[link.crawl_id].max_pages_per_template or 0
            if counts[key] >= limit:
                trapped.append(link)
                continue
            counts[key] += 1
        fitting[number] = link
    return fitting, trapped


async def _insert(
    session: Session, crawls: dict[str, CrawlRow], new: dict[int, NewLink]
) -> dict[int, NewLink]:
    """Write links; those that another transaction wrote meanwhile are left out of the answer."""
    if not new:
        return {}
    hosts = await session.host_numbers(_first_crawls(crawls, new.values()))
    rows = [_link_row(crawls[link.crawl_id].number, number, hosts, link) for number, link in new.items()]
    rows.sort()  # by crawl and fingerprint: who waits for another's links may not hold links it waits for
    inserted = {row[0] for row in await session.fetch_crawl_rows(_INSERT_LINKS, rows)}
    return {number: link for number, link in new.items() if number in inserted}


def _first_crawls(crawls: dict[str, CrawlRow], links: Iterable[NewLink]) -> dict[str, CrawlRow]:
    """The hosts of links, with the crawl that brings each first."""
    found: dict[str, CrawlRow] = {}
    for link in links:
        found.setdefault(link.host, crawls[link.crawl_id])
    return found


async def _over_templates(
    session: Session, crawls: dict[str, CrawlRow], counts: Counter[_Template]
) -> Counter[_Template]:
    """Count the links of templates. Returns how many are too many: others may have added some meanwhile."""
    rows = await session.fetch_crawl_rows(
        _COUNT_TEMPLATES, [(*key, number) for key, number in sorted(counts.items())]
    )
    limits = {row.number: row.max_pages_per_template for row in crawls.values()}
    over: Counter[_Template] = Counter()
    for crawl, template, links in rows:
        limit = limits[crawl]
        if limit is not None and links > limit:
            over[crawl, template] = min(links - limit, counts[crawl, template])
    return over


async def _take_back(
    session: Session, crawls: dict[str, CrawlRow], added: dict[int, NewLink], over: Counter[_Template]
) -> list[NewLink]:
    """Delete the latest links of templates that have too many, also from `added`."""
    await _over_templates(session, crawls, Counter({key: -number for key, number in over.items()}))
    left = Counter(over)
    gone: dict[int, NewLink] = {}
    for number, link in reversed(added.items()):
        key = (crawls[link.crawl_id].number, link.template)
        if left[key] > 0:
            left[key] -= 1
            gone[number] = link
    for number in gone:
        del added[number]
    rows = [(crawls[link.crawl_id].number, number) for number, link in gone.items()]
    await session.write_crawl_rows(_DELETE_LINKS, rows)
    return list(gone.values())


def _templated(crawls: dict[str, CrawlRow], links: dict[int, NewLink]) -> Iterable[tuple[int, NewLink]]:
    return ((crawls[link.crawl_id].number, link) for link in links.values() if link.template)


async def _add_skips(
    session: Session, crawls: dict[str, CrawlRow], skipped: Iterable[SkippedLink], changes: Changes
) -> None:
    """Write skips into the ledger and count those that are new."""
    distinct: dict[tuple[int, bytes], tuple[Any, ...]] = {}
    for skip in skipped:
        key = (crawls[skip.crawl_id].number, skip.fingerprint)
        distinct.setdefault(key, (clean(skip.url), clean(skip.rule), skip.parent_id, skip.depth))
    rows = [(*key, *row) for key, row in sorted(distinct.items(), key=lambda item: item[0])]
    counts = Counter(map(tuple, await session.fetch_crawl_rows(_INSERT_SKIPS, rows)))
    for (crawl, rule), number in counts.items():
        changes.count_skips(crawl, rule, number)


def _as_skip(link: NewLink) -> SkippedLink:
    return SkippedLink(link.crawl_id, link.fingerprint, link.url, "template", link.parent_id, link.depth)


def _link_row(crawl: int, number: int, hosts: dict[str, int], link: NewLink) -> tuple[Any, ...]:
    return (
        crawl,
        link.fingerprint,
        number,
        clean(link.url),
        clean(link.request_url),
        hosts[link.host],
        link.depth,
        link.priority,
        link.parent_id,
        link.found_by,
        link.redirects,
    )
