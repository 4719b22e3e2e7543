-- A crawl store as the first version of its schema laid and filled it: one crawl with a page, a dead link, a
-- link that waits for its second attempt, a lease of two links, and three skips.

CREATE SCHEMA crawl_store;
SET search_path = crawl_store;

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

INSERT INTO crawl_store.about VALUES (1);
INSERT INTO crawl_store.attempts OVERRIDING SYSTEM VALUE VALUES (1, 2, 1, 1, 0, 'dead', 404, 'http_404', 0);
INSERT INTO crawl_store.attempts OVERRIDING SYSTEM VALUE VALUES (1, 3, 2, 1, 0, 'retry', 503, 'http_503', 0);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_rule/robots', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_rule/template', 2);
INSERT INTO crawl_store.counters VALUES (1, 5, 'skipped', 3);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_outcome/dead', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_outcome/fetched', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_outcome/retry', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_reason/http_404', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_status/200', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_status/404', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'by_status/503', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'bytes', 100);
INSERT INTO crawl_store.counters VALUES (1, 5, 'dead', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'done', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'leased', 2);
INSERT INTO crawl_store.counters VALUES (1, 5, 'pages', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'pending', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'records', 1);
INSERT INTO crawl_store.counters VALUES (1, 5, 'retries', 1);
INSERT INTO crawl_store.crawls OVERRIDING SYSTEM VALUE VALUES (1, 'old', 1, '\x7b226964223a226f6c64222c22646566696e6974696f6e223a226533303d222c22637265617465645f6174223a312e302c226d61785f7061676573223a35302c226d61785f70616765735f7065725f74656d706c617465223a332c2264656661756c745f64656c6179223a302e302c2264656661756c745f736c6f7473223a367d', false);
INSERT INTO crawl_store.deferred VALUES (1, 1700000005, 3, 1, 5, 1);
INSERT INTO crawl_store.hosts OVERRIDING SYSTEM VALUE VALUES (2, '\xfc825b426e952e3a7ccea0cc4a2d61b8', 'b.example', '{"host":"b.example","delay":0.0,"slots":6,"exclusive":true,"robots":{},"pressure":0.0,"failures":0,"crawl_delay":0.0}', 0, 6, true, 1700000000, 6, 1);
INSERT INTO crawl_store.hosts OVERRIDING SYSTEM VALUE VALUES (1, '\xf45eeeb2ef24b3d53c413185138e9685', 'a.example', '{"host":"a.example","delay":0.0,"slots":6,"exclusive":false,"robots":{},"pressure":0.0,"failures":0,"crawl_delay":0.0}', 0, 6, false, 1700000000, 0, 0);
INSERT INTO crawl_store.leases OVERRIDING SYSTEM VALUE VALUES (2, 'node', 2, 6, 2700000000, '{1}', '[[1,6,5,0],[1,7,5,0]]');
INSERT INTO crawl_store.links VALUES (1, 1, '\x0001cc2eb50766bdc561e1428c9f53e6', 'https://a.example/0', NULL, 1, 0, 5, NULL, 'link', 0);
INSERT INTO crawl_store.links VALUES (1, 2, '\x189b1dcde3a0d719cea56a7fc33540c3', 'https://a.example/1', NULL, 1, 0, 5, NULL, 'link', 0);
INSERT INTO crawl_store.links VALUES (1, 3, '\x5199509b3b8bd3c6665da292f0c3799c', 'https://a.example/2', NULL, 1, 0, 5, NULL, 'link', 0);
INSERT INTO crawl_store.links VALUES (1, 7, '\x872ad876e31b91855f7144cc543fd18e', 'https://b.example/1', NULL, 2, 0, 5, NULL, 'link', 0);
INSERT INTO crawl_store.links VALUES (1, 6, '\xb4aa97c8c18d7059fc82ebb420a21ef8', 'https://b.example/0', NULL, 2, 0, 5, NULL, 'link', 0);
INSERT INTO crawl_store.outcomes VALUES (1, 1, 'fetched', 1, 200, NULL, NULL, 0, 0.5, 100, NULL, NULL, NULL);
INSERT INTO crawl_store.outcomes VALUES (1, 2, 'dead', 1, 404, 'http_404', NULL, 0, 0, 0, NULL, NULL, NULL);
INSERT INTO crawl_store.records VALUES (1, 1, '\x7b227469746c65223a22412070616765227d');
INSERT INTO crawl_store.shares VALUES (1, 2, 0, 0, 0, 0, 0, 0, 1700000000, 1700000000);
INSERT INTO crawl_store.shares VALUES (1, 1, 0, 1, 1, 1, 3, 0.5, 1700000000, 1700000000);
INSERT INTO crawl_store.skips VALUES (1, '\x999ae77dfef1cd5fdc67379cb58d8d4b', 'https://a.example/4', 'template', NULL, 0);
INSERT INTO crawl_store.skips VALUES (1, '\xcd5e9b3b512aaf770edc219b31747894', 'https://a.example/admin', 'robots', NULL, 0);
INSERT INTO crawl_store.skips VALUES (1, '\xda4d736b588ec62e59a9bf0121412934', 'https://a.example/3', 'template', NULL, 0);
INSERT INTO crawl_store.templates VALUES (1, 7, 3);
SELECT pg_catalog.setval('crawl_store.attempts_entry_seq', 2, true);
SELECT pg_catalog.setval('crawl_store.crawls_number_seq', 1, true);
SELECT pg_catalog.setval('crawl_store.hosts_number_seq', 2, true);
SELECT pg_catalog.setval('crawl_store.leases_fence_seq', 2, true);
SELECT pg_catalog.setval('crawl_store.link_numbers', 7, true);
