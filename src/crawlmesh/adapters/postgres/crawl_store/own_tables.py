"""Tables of their own for crawls that grow large: they are deleted by dropping them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from crawlmesh.adapters.postgres.crawl_store.session import Session
from crawlmesh.adapters.postgres.crawl_store.tables import CRAWL_TABLES, SMALL, crawl_tables, ending_of
from crawlmesh.model.link import NewLink

_LINKS = """
SELECT coalesce((
    SELECT sum(value)::bigint FROM counters
    WHERE counters.crawl = crawls.number AND name IN ('pending', 'leased', 'done', 'dead')
), 0) FROM crawls WHERE id = $1 AND NOT own_tables
"""

_REMEMBERED_CRAWLS = 100_000

_COLUMNS = """
SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped
"""


class Growth:
    """How crawls grow that share tables, as far as this process sees it. Who sees one grow large moves it."""

    def __init__(self, own_tables_from: int) -> None:
        """`own_tables_from`: how many links a crawl has that is large."""
        self.own_tables_from = own_tables_from
        self._most = 10 * own_tables_from  # to move more would keep everybody waiting for too long
        self._step = max(1, own_tables_from // 20)
        self._grown: dict[str, int] = {}  # new links since one last looked, by crawl

    def large(self, links: Sequence[NewLink]) -> dict[str, int]:
        """The crawls that these links alone make large, with how many they are."""
        if len(links) < self.own_tables_from:
            return {}
        counts = Counter(link.crawl_id for link in links)
        return {crawl_id: count for crawl_id, count in counts.items() if count >= self.own_tables_from}

    def to_be_looked_at(self, grown: Mapping[str, int]) -> list[str]:
        """The crawls, out of those that have grown by so much, that may have become large."""
        due = []
        if len(self._grown) > _REMEMBERED_CRAWLS:
            self._grown.clear()
        for crawl_id, links in grown.items():
            total = self._grown.get(crawl_id, 0) + links
            self._grown[crawl_id] = total
            if total >= self._step:
                del self._grown[crawl_id]
                due.append(crawl_id)
        return due

    async def is_due(self, session: Session, crawl_id: str, coming: int) -> bool:
        """Whether a crawl is large with the links that come, and what it has is not too much to be moved."""
        links = await session.one(_LINKS, crawl_id)
        return links is not None and self.own_tables_from <= links + coming and links <= self._most


async def give_own_tables(session: Session, crawl_id: str) -> None:
    """Move a crawl into tables of its own. Where it has some already, or is gone, nothing happens."""
    row = await session.enter_alone(crawl_id)
    if row is None or row.own_tables:
        return
    await session.plan_freely()
    ending = ending_of(row.number, own_tables=True)
    await session.run(crawl_tables(ending))
    for table in CRAWL_TABLES:
        columns = await session.one(_COLUMNS, f"{table}{SMALL}")
        await session.run(
            f"WITH moved AS (DELETE FROM {table}{SMALL} WHERE crawl = $1 RETURNING {columns}) "  # noqa: S608
            f"INSERT INTO {table}{ending} ({columns}) SELECT {columns} FROM moved",
            row.number,
        )
    await session.run("UPDATE crawls SET own_tables = true WHERE number = $1", row.number)
