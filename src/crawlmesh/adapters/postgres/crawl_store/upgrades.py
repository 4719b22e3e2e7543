"""What brings tables of older versions up to the next one, by the version that they have."""

# The tables of small crawls get new names: a process of an older version that still runs meets an error
# there, and cannot go on as if large crawls had no tables of their own. All crawls stay where they are.
_FROM_1 = """
ALTER TABLE crawls
    ADD COLUMN own_tables boolean NOT NULL DEFAULT false,
    ADD COLUMN max_pages bigint,
    ADD COLUMN max_pages_per_template bigint,
    ADD COLUMN default_delay double precision NOT NULL DEFAULT 0,
    ADD COLUMN default_slots integer NOT NULL DEFAULT 4;

UPDATE crawls SET
    max_pages = (convert_from(crawl, 'UTF8')::json->>'max_pages')::bigint,
    max_pages_per_template = (convert_from(crawl, 'UTF8')::json->>'max_pages_per_template')::bigint,
    default_delay = coalesce((convert_from(crawl, 'UTF8')::json->>'default_delay')::double precision, 0),
    default_slots = coalesce((convert_from(crawl, 'UTF8')::json->>'default_slots')::integer, 4);

ALTER TABLE hosts
    ADD COLUMN met boolean NOT NULL DEFAULT true,
    ADD COLUMN limit_delay double precision,
    ADD COLUMN limit_slots integer,
    ADD COLUMN blocked boolean NOT NULL DEFAULT false;
ALTER TABLE hosts SET (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX hosts_name ON hosts (left(name, 200) COLLATE "C");

CREATE INDEX shares_of_host ON shares (host);
ALTER TABLE shares SET (autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.05);

CREATE SEQUENCE attempt_numbers;
SELECT setval('attempt_numbers', (SELECT coalesce(max(entry), 0) + 1 FROM attempts), false);
ALTER TABLE attempts ALTER COLUMN entry DROP IDENTITY;
ALTER TABLE attempts ALTER COLUMN entry SET DEFAULT nextval('attempt_numbers');
ALTER SEQUENCE attempt_numbers OWNED BY attempts.entry;

ALTER TABLE links RENAME TO links_small;
ALTER TABLE queue RENAME TO queue_small;
ALTER TABLE outcomes RENAME TO outcomes_small;
ALTER TABLE attempts RENAME TO attempts_small;
ALTER TABLE records RENAME TO records_small;
ALTER TABLE skips RENAME TO skips_small;
ALTER TABLE templates RENAME TO templates_small;
ALTER TABLE queue_small SET (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE links_small
    SET (autovacuum_vacuum_insert_threshold = 10000, autovacuum_vacuum_insert_scale_factor = 0.05);
"""

# Dead links are found without looking at all others, also in the tables that large crawls have.
_FROM_2 = """
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN
        SELECT 'outcomes_small' UNION ALL SELECT 'outcomes_' || number FROM crawls WHERE own_tables
    LOOP
        EXECUTE format($i$CREATE INDEX ON %I (crawl, link) WHERE kind = 'dead'$i$, name);
        EXECUTE format($i$
            CREATE INDEX ON %I (crawl, left(coalesce(reason, 'unknown'), 200), link) WHERE kind = 'dead'
        $i$, name);
    END LOOP;
END
$$;
"""

UPGRADES = {1: _FROM_1, 2: _FROM_2}
