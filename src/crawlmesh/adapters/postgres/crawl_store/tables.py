"""The tables of the crawl store: those of all crawls, and those that a large crawl has of its own.

Links are written once and never changed: what becomes of them stands in `queue`, `deferred`,
`leases` (pending, pending, leased) and `outcomes` (done, dead).

The tables of `CRAWL_TABLES` exist once with the ending `_small`, for all crawls that are small, and once
more for each large crawl, with its number as ending: so a large crawl is forgotten by dropping its tables.
"""

SMALL = "_small"  # the ending of the tables that small crawls share

CRAWL_TABLES = ("queue", "outcomes", "attempts", "records", "skips", "templates", "links")

SHARED_TABLES = """
CREATE TABLE about (version integer NOT NULL);

CREATE TABLE crawls (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    created_at double precision NOT NULL,
    crawl bytea NOT NULL,              -- model.crawl.Crawl, as JSON
    revisits boolean NOT NULL DEFAULT false,  -- whether leases carry validators
    own_tables boolean NOT NULL DEFAULT false,
    max_pages bigint,                  -- this and the others: copied from crawl for the queries
    max_pages_per_template bigint,
    default_delay double precision NOT NULL DEFAULT 0,
    default_slots integer NOT NULL DEFAULT 4
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
    leases integer NOT NULL DEFAULT 0, -- live leases
    met boolean NOT NULL DEFAULT true, -- by a crawl; else it has limits only
    limit_delay double precision,      -- this and the others: model.host.HostLimits
    limit_slots integer,
    blocked boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX hosts_name ON hosts (left(name, 200) COLLATE "C");

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
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX shares_turn ON shares (crawl, turn_at) WHERE ready > 0;
CREATE INDEX shares_host ON shares (host) WHERE ready > 0;
CREATE INDEX shares_of_host ON shares (host);  -- for people who look at a host

CREATE SEQUENCE link_numbers;
CREATE SEQUENCE attempt_numbers;

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
"""

# Rows that stay as they are: frozen at the first visit of autovacuum, which comes soon, because looking up
# known links is cheapest while the visibility map knows their pages.
_WRITTEN_ONCE = """autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_insert_scale_factor = 0.05,
    autovacuum_freeze_min_age = 0"""

# Wide numbers stand first: so no bytes are lost to their alignment.
_CRAWL_TABLES = """
CREATE TABLE links{ending} (
    number bigint NOT NULL,
    host bigint NOT NULL,
    parent bigint,
    crawl integer NOT NULL,
    depth integer NOT NULL,
    redirects integer NOT NULL,
    priority smallint NOT NULL,
    fingerprint bytea NOT NULL,
    found_by text NOT NULL,
    url text NOT NULL,
    request_url text,                  -- NULL: the same as url
    PRIMARY KEY (crawl, number),
    UNIQUE (crawl, fingerprint)
) WITH ({written_once});

CREATE TABLE queue{ending} (           -- links that may be leased
    host bigint NOT NULL,
    link bigint NOT NULL,
    crawl integer NOT NULL,
    attempt integer NOT NULL,          -- attempts made so far
    rank smallint NOT NULL,            -- 10 - priority: lower goes first
    PRIMARY KEY (crawl, host, rank, link)
) WITH (autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE outcomes{ending} (        -- how the latest visit of a link ended
    link bigint NOT NULL,
    fetched_at double precision NOT NULL,
    elapsed double precision NOT NULL,
    size bigint NOT NULL,
    crawl integer NOT NULL,
    attempt integer NOT NULL,
    http_status integer,
    kind text NOT NULL,
    reason text,
    final_url text,
    etag text,
    last_modified text,
    archive text,
    PRIMARY KEY (crawl, link)
) WITH ({written_once});

CREATE INDEX ON outcomes{ending} USING hash (final_url) WHERE kind = 'redirected';
CREATE INDEX ON outcomes{ending} (crawl, link) WHERE kind = 'dead';
CREATE INDEX ON outcomes{ending} (crawl, left(coalesce(reason, 'unknown'), 200), link) WHERE kind = 'dead';

CREATE TABLE attempts{ending} (        -- tries that failed, for the ledger
    link bigint NOT NULL,
    entry bigint NOT NULL DEFAULT nextval('attempt_numbers'),
    at double precision NOT NULL,
    elapsed double precision NOT NULL,
    crawl integer NOT NULL,
    number integer NOT NULL,
    http_status integer,
    kind text NOT NULL,
    reason text,
    PRIMARY KEY (crawl, link, entry)
) WITH ({written_once});

CREATE TABLE records{ending} (
    link bigint NOT NULL,
    crawl integer NOT NULL,
    data bytea NOT NULL,               -- a JSON object
    PRIMARY KEY (crawl, link)
) WITH ({written_once});

CREATE TABLE skips{ending} (           -- URLs that a rule kept out
    parent bigint,
    crawl integer NOT NULL,
    depth integer NOT NULL,
    fingerprint bytea NOT NULL,
    rule text NOT NULL,
    url text NOT NULL,
    PRIMARY KEY (crawl, fingerprint)
) WITH ({written_once});

CREATE TABLE templates{ending} (       -- links of each URL template, against spider traps
    template bigint NOT NULL,
    links bigint NOT NULL,
    crawl integer NOT NULL,
    PRIMARY KEY (crawl, template)
) WITH (fillfactor = 70);
"""


def ending_of(number: int, *, own_tables: bool) -> str:
    """What the names of the tables end with that the links of a crawl lie in."""
    return f"_{number}" if own_tables else SMALL


def crawl_tables(ending: str) -> str:
    """The statements that make a set of these tables."""
    return _CRAWL_TABLES.format(ending=ending, written_once=_WRITTEN_ONCE)
