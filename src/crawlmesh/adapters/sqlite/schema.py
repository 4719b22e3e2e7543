"""The tables of the embedded crawl store.

Links are written once and never changed: what becomes of them stands in `queue`, `deferred`,
`leases` (pending, pending, leased) and `outcomes` (done, dead). So a crawl appends nearly all it
writes, and the cost of a link does not grow with the number of links.

Fingerprints have no index. The one process that owns the file keeps the set of known fingerprints
in memory, or a Bloom filter of them, and reads it from `links` when it opens the file.
"""

SCHEMA_VERSION = 3

SCHEMA = """
CREATE TABLE crawls (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    crawl BLOB NOT NULL,           -- model.crawl.Crawl, as JSON
    progress BLOB NOT NULL,        -- its counters, as JSON
    revisits INTEGER NOT NULL DEFAULT 0  -- whether leases carry validators
);

CREATE TABLE hosts (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    state BLOB NOT NULL,           -- model.host.HostState, as JSON
    delay REAL NOT NULL,           -- seconds; that of state under the user's limits, for the queries
    slots INTEGER NOT NULL,        -- the same
    exclusive INTEGER NOT NULL,    -- the same
    ready_at REAL NOT NULL,        -- no lease before this moment
    used INTEGER NOT NULL DEFAULT 0,    -- slots that live leases hold
    leases INTEGER NOT NULL DEFAULT 0,  -- live leases
    queued INTEGER NOT NULL DEFAULT 0,  -- rows in queue
    blocked INTEGER NOT NULL DEFAULT 0  -- by the user's limits
);

CREATE INDEX hosts_ready ON hosts (ready_at)
WHERE queued > 0 AND used < slots AND (leases = 0 OR exclusive = 0) AND blocked = 0;

CREATE TABLE host_limits (         -- what users laid down, also for hosts that were not met yet
    name TEXT PRIMARY KEY,
    limits BLOB NOT NULL           -- model.host.HostLimits, as JSON
) WITHOUT ROWID;

CREATE TABLE links (
    number INTEGER PRIMARY KEY,
    crawl INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    url TEXT NOT NULL,
    request_url TEXT,              -- NULL: the same as url
    host INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    priority INTEGER NOT NULL,
    parent INTEGER,
    found_by TEXT NOT NULL,
    redirects INTEGER NOT NULL
);

CREATE TABLE queue (               -- links that may be leased
    host INTEGER NOT NULL,
    rank INTEGER NOT NULL,         -- 10 - priority: lower goes first
    link INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    attempt INTEGER NOT NULL,      -- attempts made so far
    PRIMARY KEY (host, rank, link)
) WITHOUT ROWID;

CREATE TABLE deferred (            -- links that wait for their next attempt
    due REAL NOT NULL,
    link INTEGER NOT NULL,
    host INTEGER NOT NULL,
    rank INTEGER NOT NULL,
    crawl INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    PRIMARY KEY (due, link)
) WITHOUT ROWID;

CREATE TABLE leases (
    fence INTEGER PRIMARY KEY AUTOINCREMENT,  -- never used again, also after a restart
    node TEXT NOT NULL,
    host INTEGER NOT NULL,
    slots INTEGER NOT NULL,
    expires_at REAL NOT NULL,
    links BLOB NOT NULL            -- [[link, rank, crawl, attempt], …] as JSON
);

CREATE TABLE outcomes (            -- how the latest visit of a link ended
    link INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    http_status INTEGER,
    reason TEXT,
    final_url TEXT,
    fetched_at REAL NOT NULL,
    elapsed REAL NOT NULL,
    size INTEGER NOT NULL,
    etag TEXT,
    last_modified TEXT,
    archive TEXT,
    dead_in INTEGER                -- the crawl of a dead link; else NULL
);

CREATE INDEX outcomes_redirected ON outcomes (final_url) WHERE kind = 'redirected';
CREATE INDEX outcomes_dead ON outcomes (dead_in, link) WHERE dead_in IS NOT NULL;
CREATE INDEX outcomes_dead_reason ON outcomes (dead_in, coalesce(reason, 'unknown'), link)
WHERE dead_in IS NOT NULL;

CREATE TABLE attempts (            -- tries that failed, for the ledger
    link INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at REAL NOT NULL,
    kind TEXT NOT NULL,
    http_status INTEGER,
    reason TEXT,
    elapsed REAL NOT NULL
);

CREATE INDEX attempts_link ON attempts (link);

CREATE TABLE records (
    link INTEGER PRIMARY KEY,
    crawl INTEGER NOT NULL,
    data BLOB NOT NULL             -- a JSON object
);

CREATE INDEX records_crawl ON records (crawl, link);

CREATE TABLE skips (               -- URLs that a rule kept out
    crawl INTEGER NOT NULL,
    fingerprint BLOB NOT NULL,
    url TEXT NOT NULL,
    rule TEXT NOT NULL,
    parent INTEGER,
    depth INTEGER NOT NULL,
    PRIMARY KEY (crawl, fingerprint)
) WITHOUT ROWID;

CREATE TABLE templates (           -- links of each URL template, against spider traps
    crawl INTEGER NOT NULL,
    template INTEGER NOT NULL,
    links INTEGER NOT NULL,
    PRIMARY KEY (crawl, template)
) WITHOUT ROWID;

CREATE TABLE host_progress (       -- one host's part in one crawl
    crawl INTEGER NOT NULL,
    host INTEGER NOT NULL,
    queued INTEGER NOT NULL DEFAULT 0,  -- pending links, deferred ones too
    done INTEGER NOT NULL DEFAULT 0,
    dead INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    elapsed REAL NOT NULL DEFAULT 0,
    PRIMARY KEY (crawl, host)
) WITHOUT ROWID;

CREATE INDEX host_progress_host ON host_progress (host);
"""

# What makes the tables of a version those of the next one.
UPGRADES = {
    1: """
ALTER TABLE hosts ADD COLUMN blocked INTEGER NOT NULL DEFAULT 0;
DROP INDEX hosts_ready;
CREATE INDEX hosts_ready ON hosts (ready_at)
WHERE queued > 0 AND used < slots AND (leases = 0 OR exclusive = 0) AND blocked = 0;
CREATE TABLE host_limits (name TEXT PRIMARY KEY, limits BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX host_progress_host ON host_progress (host);
""",
    2: """
ALTER TABLE outcomes ADD COLUMN dead_in INTEGER;
UPDATE outcomes SET dead_in = (SELECT crawl FROM links WHERE number = link) WHERE kind = 'dead';
CREATE INDEX outcomes_dead ON outcomes (dead_in, link) WHERE dead_in IS NOT NULL;
CREATE INDEX outcomes_dead_reason ON outcomes (dead_in, coalesce(reason, 'unknown'), link)
WHERE dead_in IS NOT NULL;
""",
}
