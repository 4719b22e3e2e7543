"""Taking links out of the queues of hosts, over the tables of all crawls that take part."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import asyncpg

from crawlmesh.adapters.postgres.crawl_store.session import CrawlRow, Session

# What each host has to offer within its size and within the budgets of the crawls, in the order of the hosts.
_OFFERS = """
WITH chosen AS (
    SELECT * FROM unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS chosen (host, most, place)
), wanted AS (
    SELECT * FROM unnest($3::integer[], $4::integer[]) AS wanted (crawl, budget)
), offered AS (
    SELECT best.*, chosen.place FROM chosen CROSS JOIN LATERAL (
        SELECT first.* FROM wanted CROSS JOIN LATERAL (
            SELECT crawl, host, rank, link, attempt FROM queue{ending} AS queue
            WHERE queue.crawl = wanted.crawl AND queue.host = chosen.host
            ORDER BY rank, link LIMIT least(chosen.most, wanted.budget)
        ) AS first ORDER BY rank, link LIMIT chosen.most
    ) AS best
), of_crawls AS (
    SELECT offered.*, row_number() OVER (PARTITION BY crawl ORDER BY place, rank, link) AS of_crawl
    FROM offered
), affordable AS (
    SELECT of_crawls.*, row_number() OVER (ORDER BY place, rank, link) AS overall
    FROM of_crawls JOIN wanted USING (crawl) WHERE of_crawl <= budget
), taken AS (
    SELECT crawl, host, rank, link, attempt, place FROM affordable WHERE overall <= $5
)
"""

_PEEK = f"{_OFFERS} SELECT place, rank, link, crawl, host FROM taken"  # noqa: S608

_CHOSEN = """
WITH taken AS (
    SELECT * FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::bigint[])
        AS taken (crawl, host, rank, link)
)
"""

_TAKE = """
DELETE FROM queue{ending} AS queue USING taken
JOIN links{ending} AS links ON links.crawl = taken.crawl AND links.number = taken.link
LEFT JOIN outcomes{ending} AS outcomes
    ON $%s AND outcomes.crawl = taken.crawl AND outcomes.link = taken.link
WHERE queue.crawl = taken.crawl AND queue.host = taken.host AND queue.rank = taken.rank
    AND queue.link = taken.link
RETURNING taken.host, taken.rank, taken.link, taken.crawl, queue.attempt, links.url, links.depth,
          links.priority, links.request_url, links.redirects, outcomes.etag, outcomes.last_modified,
          links.found_by
"""

_TAKE_OFFERED = _OFFERS + _TAKE % 6
_TAKE_CHOSEN = _CHOSEN + _TAKE % 5

_Offer = tuple[int, int, int, int, int]  # place of the host, rank, link, crawl, host


async def take_links(
    session: Session,
    crawls: Mapping[int, CrawlRow],
    chosen: Sequence[tuple[int, int]],
    budgets: Mapping[int, int],
    most: int,
) -> list[asyncpg.Record]:
    """Take links of hosts, given with how many each may give, and of crawls, given with their budgets."""
    by_ending: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for crawl, budget in budgets.items():
        by_ending[crawls[crawl].ending][crawl] = budget
    hosts = list(zip(*chosen, strict=True))
    if len(by_ending) == 1:
        ((ending, _),) = by_ending.items()
        revisits = any(crawls[crawl].revisits for crawl in budgets)
        wanted = zip(*budgets.items(), strict=True)
        return await session.fetch(_TAKE_OFFERED.format(ending=ending), *hosts, *wanted, most, revisits)
    offers: list[_Offer] = []
    for ending, part in sorted(by_ending.items()):
        peeked = await session.fetch(
            _PEEK.format(ending=ending), *hosts, *zip(*part.items(), strict=True), most
        )
        offers.extend((place, rank, link, crawl, host) for place, rank, link, crawl, host in peeked)
    return await _take_best(session, crawls, _best(offers, dict(chosen), Counter(budgets), most))


def _best(offers: list[_Offer], sizes: Mapping[int, int], budgets: Counter[int], most: int) -> list[_Offer]:
    """Those of the offers out of several sets of tables that go out."""
    room = Counter(sizes)
    best: list[_Offer] = []
    for offer in sorted(offers):
        _, _, _, crawl, host = offer
        if len(best) == most:
            break
        if room[host] > 0 and budgets[crawl] > 0:
            room[host] -= 1
            budgets[crawl] -= 1
            best.append(offer)
    return best


async def _take_best(
    session: Session, crawls: Mapping[int, CrawlRow], best: Iterable[_Offer]
) -> list[asyncpg.Record]:
    by_ending: defaultdict[str, list[tuple[int, int, int, int]]] = defaultdict(list)
    for _, rank, link, crawl, host in best:
        by_ending[crawls[crawl].ending].append((crawl, host, rank, link))
    taken: list[asyncpg.Record] = []
    for ending, rows in sorted(by_ending.items()):
        revisits = any(crawls[row[0]].revisits for row in rows)
        taken += await session.fetch(_TAKE_CHOSEN.format(ending=ending), *zip(*rows, strict=True), revisits)
    return taken
