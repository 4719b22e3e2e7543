"""The crawl store on PostgreSQL. Any number of processes use it at once; none keeps anything of its own.

Chosen by `crawlmesh.wiring`; imports ports and model.

A large crawl has tables of its own, small ones share (`tables.py`, `own_tables.py`). What every transaction
begins and ends with are functions in the database (`functions.py`).

Locks are taken in one order in every transaction, so that none waits for another in a circle: crawls
(advisory), leases by fence, new hosts by digest, links by fingerprint, templates, skips by fingerprint,
hosts by number, the hosts' shares, counters. The last three are held for a few statements only.
"""

from crawlmesh.adapters.postgres.crawl_store.crawl_store import PostgresCrawlStore

__all__ = ["PostgresCrawlStore"]
