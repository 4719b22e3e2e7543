"""The tables of the crawl store on PostgreSQL, in a schema of their own beside other tables.

Links are written once and never changed: what becomes of them stands in `queue`, `deferred`,
`leases` (pending, pending, leased) and `outcomes` (done, dead).

Every key of a large table begins with the crawl, so that the table can be partitioned by it.
"""

import asyncpg

from crawlmesh.adapters.postgres.crawl_store.locks import SCHEMA_LOCK
from crawlmesh.errors import StoreCorruptError

SCHEMA_NAME = "crawl_store"
SCHEMA_VERSION = 1

_TABLES = """
CREATE TABLE about (version integer NOT NULL);

CREATE TABLE crawls (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    created_at double precision NOT NULL,
    crawl bytea NOT NULL,              -- model.crawl.Crawl, as JSON
    revisits boolean NOT NULL DEFAULT false  -- whether leases carry validators
);

CREATE TABLE counters (                -- what CrawlProgress shows, as the sum over all shards
    crawl integer NOT NULL,
    shard smallint NOT NULL,           -- so that transactions seldom wait for each other's counters
    name text NOT NULL,                -- "done", "by_status/200" …
    value bigint NOT NULL,
    PRIMARY KEY (crawl, shard, name)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.1);

CREATE TABLE hosts (                   -- over all crawls; no index on what changes
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    digest bytea NOT NULL UNIQUE,      -- of the name, which may be longer than an index allows
    name text NOT NULL,
    state text NOT NULL,               -- model.host.HostState, as JSON
    delay double precision NOT NULL,   -- seconds; copied from state for the queries
    slots integer NOT NULL,            -- copied from state
    exclusive boolean NOT NULL,        -- copied from state
    ready_at double precision NOT NULL,  -- no lease before this moment
    used integer NOT NULL DEFAULT 0,   -- slots that live leases hold
    leases integer NOT NULL DEFAULT 0  -- live leases
) WITH (fillfactor = 70);

CREATE TABLE shares (                  -- one host's part in one crawl; changed under the host's lock only
    crawl integer NOT NULL,
    host bigint NOT NULL,
    ready integer NOT NULL,            -- rows in queue
    waiting integer NOT NULL,          -- rows in deferred
    done bigint NOT NULL,
    dead bigint NOT NULL,
    requests bigint NOT NULL,
    elapsed double precision NOT NULL, -- seconds, over all requests
    since double precision NOT NULL,   -- from when on it has had rows in queue
    turn_at double precision NOT NULL, -- when it can be leased from; infinite while its host is taken
    PRIMARY KEY (crawl, host)
) WITH (fillfactor = 70);

CREATE INDEX shares_turn ON shares (crawl, turn_at) WHERE ready > 0;
CREATE INDEX shares_host ON shares (host) WHERE ready > 0;

CREATE SEQUENCE link_numbers;

CREATE TABLE links (
    crawl integer NOT NULL,
    number bigint NOT NULL,
    fingerprint bytea NOT NULL,
    url text NOT NULL,
    request_url text,                  -- NULL: the same as url
    host bigint NOT NULL,
    depth integer NOT NULL,
    priority smallint NOT NULL,
    parent bigint,
    found_by text NOT NULL,
    redirects integer NOT NULL,
    PRIMARY KEY (crawl, number),
    UNIQUE (crawl, fingerprint)
);

ALTER SEQUENCE link_numbers OWNED BY links.number;

CREATE TABLE queue (                   -- links that may be leased
    crawl integer NOT NULL,
    host bigint NOT NULL,
    rank smallint NOT NULL,            -- 10 - priority: lower goes first
    link bigint NOT NULL,
    attempt integer NOT NULL,          -- attempts made so far
    PRIMARY KEY (crawl, host, rank, link)
) WITH (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.05);

CREATE TABLE deferred (                -- links that wait for their next attempt
    crawl integer NOT NULL,
    due double precision NOT NULL,
    link bigint NOT NULL,
    host bigint NOT NULL,
    rank smallint NOT NULL,
    attempt integer NOT NULL,
    PRIMARY KEY (crawl, due, link)
);

CREATE INDEX deferred_link ON deferred (crawl, link);

CREATE TABLE leases (
    fence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    node text NOT NULL,
    host bigint NOT NULL,
    slots integer NOT NULL,
    expires_at double precision NOT NULL,
    crawls integer[] NOT NULL,         -- of its links
    links text NOT NULL                -- [[crawl, link, rank, attempt], …] as JSON
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.1);

CREATE INDEX leases_expiry ON leases (expires_at);
CREATE INDEX leases_host ON leases (host);
CREATE INDEX leases_node ON leases (node);

CREATE TABLE outcomes (                -- how the latest visit of a link ended
    crawl integer NOT NULL,
    link bigint NOT NULL,
    kind text NOT NULL,
    attempt integer NOT NULL,
    http_status integer,
    reason text,
    final_url text,
    fetched_at double precision NOT NULL,
    elapsed double precision NOT NULL,
    size bigint NOT NULL,
    etag text,
    last_modified text,
    archive text,
    PRIMARY KEY (crawl, link)
);

CREATE INDEX outcomes_redirected ON outcomes USING hash (final_url) WHERE kind = 'redirected';

CREATE TABLE attempts (                -- tries that failed, for the ledger
    crawl integer NOT NULL,
    link bigint NOT NULL,
    entry bigint GENERATED ALWAYS AS IDENTITY,
    number integer NOT NULL,
    at double precision NOT NULL,
    kind text NOT NULL,
    http_status integer,
    reason text,
    elapsed double precision NOT NULL,
    PRIMARY KEY (crawl, link, entry)
);

CREATE TABLE records (
    crawl integer NOT NULL,
    link bigint NOT NULL,
    data bytea NOT NULL,               -- a JSON object
    PRIMARY KEY (crawl, link)
);

CREATE TABLE skips (                   -- URLs that a rule kept out
    crawl integer NOT NULL,
    fingerprint bytea NOT NULL,
    url text NOT NULL,
    rule text NOT NULL,
    parent bigint,
    depth integer NOT NULL,
    PRIMARY KEY (crawl, fingerprint)
);

CREATE TABLE templates (               -- links of each URL template, against spider traps
    crawl integer NOT NULL,
    template bigint NOT NULL,
    links bigint NOT NULL,
    PRIMARY KEY (crawl, template)
) WITH (fillfactor = 70);
"""


async def lay_tables(connection: asyncpg.Connection, address: str) -> None:
    """Make the tables where they are missing; those of another version are refused."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, 0)", SCHEMA_LOCK)
        version = await _version(connection)
        if version is None:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA_NAME}")
            await connection.execute(f"SET LOCAL search_path = {SCHEMA_NAME}; {_TABLES}")
            await connection.execute("INSERT INTO about (version) VALUES ($1)", SCHEMA_VERSION)
        elif version != SCHEMA_VERSION:
            raise StoreCorruptError(
                f"The crawl store at {address} was made by another version of Crawlmesh (schema {version}, "
                f"this one knows {SCHEMA_VERSION}). Use that version, or another database."
            )


async def _version(connection: asyncpg.Connection) -> int | None:
    if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA_NAME}.about") is None:
        return None
    return int(await connection.fetchval(f"SELECT version FROM {SCHEMA_NAME}.about"))  # noqa: S608
