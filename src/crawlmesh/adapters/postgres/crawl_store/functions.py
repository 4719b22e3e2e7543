"""Functions in the database: what a transaction begins and ends with, in one round trip each.

They are about tables that all crawls share. Statements inside a function see what was committed before they
begin, not before the function does: so rows are read once their locks are held.
"""

# By which a host is leased: its own state under the limits of a user, as in rules.host_limits.
DELAY = "greatest(hosts.delay, hosts.limit_delay)"
SLOTS = "coalesce(hosts.limit_slots, hosts.slots)"
EXCLUSIVE = "(hosts.exclusive OR coalesce(hosts.limit_delay > hosts.delay, false))"
LEASABLE = f"(NOT hosts.blocked AND hosts.used < {SLOTS} AND (hosts.leases = 0 OR NOT {EXCLUSIVE}))"

# Locks are taken in the order of their keys, before any row is locked. A key comes from a crawl's id, because
# a crawl that is deleted and created again while one waits for the lock has another number then.
_ENTER = """
CREATE OR REPLACE FUNCTION enter(p_lock integer, p_ids text[], p_fences bigint[], p_clock double precision)
RETURNS TABLE (moment double precision, crawls text, leases text, is_due boolean) LANGUAGE plpgsql AS $$
DECLARE
    v_numbers integer[];
BEGIN
    PERFORM pg_advisory_xact_lock_shared(p_lock, wanted.key) FROM (
        SELECT hashtext(named.id) AS key FROM unnest(p_ids) AS named (id)
        UNION SELECT hashtext(c.id)
            FROM leases AS l CROSS JOIN LATERAL unnest(l.crawls) AS leased (number)
            JOIN crawls AS c ON c.number = leased.number WHERE l.fence = ANY(p_fences)
        ORDER BY 1
    ) AS wanted;
    IF cardinality(p_fences) > 0 THEN
        SELECT json_agg(json_build_array(locked.fence, locked.host, locked.slots, locked.links::json))
            INTO leases FROM (
                SELECT l.fence, l.host, l.slots, l.links FROM leases AS l
                WHERE l.fence = ANY(p_fences) ORDER BY l.fence FOR UPDATE
            ) AS locked;
        SELECT array_agg(DISTINCT leased.number) INTO v_numbers
            FROM leases AS l CROSS JOIN LATERAL unnest(l.crawls) AS leased (number)
            WHERE l.fence = ANY(p_fences);
    END IF;
    SELECT json_agg(json_build_array(c.number, c.id, c.revisits, c.own_tables, c.max_pages,
                                     c.max_pages_per_template, c.default_delay, c.default_slots))
        INTO crawls FROM crawls AS c WHERE c.id = ANY(p_ids) OR c.number = ANY(v_numbers);
    moment := coalesce(p_clock, extract(epoch FROM clock_timestamp()));
    is_due := EXISTS (
        SELECT FROM crawls AS c WHERE c.id = ANY(p_ids)
            AND EXISTS (SELECT FROM deferred AS d WHERE d.crawl = c.number AND d.due <= moment)
    );
    RETURN NEXT;
END $$;
"""

_SPENT = """
CREATE OR REPLACE FUNCTION spent(p_lock integer, p_crawls integer[])
RETURNS TABLE (number integer, pages bigint) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(p_lock, wanted.number)
        FROM (SELECT unnest(p_crawls) AS number ORDER BY 1) AS wanted;
    RETURN QUERY SELECT c.crawl, sum(c.value)::bigint FROM counters AS c
        WHERE c.crawl = ANY(p_crawls) AND c.name IN ('pages', 'leased') GROUP BY c.crawl;
END $$;
"""

# A deferred link waits for its moment and for its host; the first hundred are near enough to all.
_NEXT_MOMENT = """
CREATE OR REPLACE FUNCTION next_moment(p_crawls integer[]) RETURNS double precision LANGUAGE plpgsql AS $$
BEGIN
    RETURN least(
        (SELECT min(turn_at) FROM unnest(p_crawls) AS wanted (crawl) CROSS JOIN LATERAL (
            SELECT turn_at FROM shares WHERE shares.crawl = wanted.crawl AND ready > 0
            ORDER BY turn_at LIMIT 1
        ) AS first WHERE turn_at < 'infinity'),
        (SELECT min(greatest(due, ready_at)) FROM unnest(p_crawls) AS wanted (crawl) CROSS JOIN LATERAL (
            SELECT due, host FROM deferred WHERE deferred.crawl = wanted.crawl ORDER BY due LIMIT 100
        ) AS first JOIN hosts ON hosts.number = first.host WHERE NOT hosts.blocked)
    );
END $$;
"""

_SET_TURNS = f"""
CREATE OR REPLACE FUNCTION set_turns(p_hosts bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    UPDATE shares SET turn_at = turn.at
    FROM hosts CROSS JOIN LATERAL (
        SELECT others.crawl,
               CASE WHEN {LEASABLE} THEN greatest(hosts.ready_at, others.since) ELSE 'infinity' END AS at
        FROM shares AS others WHERE others.host = hosts.number AND others.ready > 0
    ) AS turn
    WHERE hosts.number = ANY(p_hosts)
        AND shares.host = hosts.number AND shares.crawl = turn.crawl AND shares.turn_at <> turn.at;
END $$;
"""  # noqa: S608

# A host rests for what was reported, or for its delay, as it is after this very update.
_CHANGE = f"""
CREATE OR REPLACE FUNCTION change(
    p_moment double precision, p_ended bigint[], p_touched bigint[],
    h_host bigint[], h_used integer[], h_leases integer[], h_rest double precision[], h_delayed boolean[],
    h_state text[], h_delay double precision[], h_slots integer[], h_exclusive boolean[],
    s_host bigint[], s_crawl integer[], s_ready integer[], s_waiting integer[], s_done bigint[],
    s_dead bigint[], s_requests bigint[], s_elapsed double precision[],
    c_shards integer, c_crawl integer[], c_name text[], c_value bigint[]
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_locked integer;
BEGIN
    DELETE FROM leases WHERE fence = ANY(p_ended);
    SELECT count(*) INTO v_locked FROM (
        SELECT FROM hosts WHERE number = ANY(p_touched) ORDER BY number FOR NO KEY UPDATE
    ) AS locked;
    IF cardinality(h_host) > 0 THEN
        UPDATE hosts SET
            used = hosts.used - given.used, leases = hosts.leases - given.leases,
            ready_at = greatest(
                hosts.ready_at, p_moment + given.rest,
                CASE WHEN given.delayed
                     THEN p_moment + greatest(coalesce(given.delay, hosts.delay), hosts.limit_delay) END
            ),
            state = coalesce(given.state, hosts.state), delay = coalesce(given.delay, hosts.delay),
            slots = coalesce(given.slots, hosts.slots),
            exclusive = coalesce(given.exclusive, hosts.exclusive)
        FROM unnest(h_host, h_used, h_leases, h_rest, h_delayed, h_state, h_delay, h_slots, h_exclusive)
            AS given (host, used, leases, rest, delayed, state, delay, slots, exclusive)
        WHERE hosts.number = given.host;
    END IF;
    IF cardinality(s_host) > 0 THEN
        INSERT INTO shares (host, crawl, ready, waiting, done, dead, requests, elapsed, since, turn_at)
        SELECT given.*, p_moment, CASE WHEN {LEASABLE} THEN hosts.ready_at ELSE 'infinity' END
        FROM unnest(s_host, s_crawl, s_ready, s_waiting, s_done, s_dead, s_requests, s_elapsed)
            AS given (host, crawl, ready, waiting, done, dead, requests, elapsed)
        JOIN hosts ON hosts.number = given.host
        ON CONFLICT (crawl, host) DO UPDATE SET
            ready = shares.ready + excluded.ready, waiting = shares.waiting + excluded.waiting,
            done = shares.done + excluded.done, dead = shares.dead + excluded.dead,
            requests = shares.requests + excluded.requests, elapsed = shares.elapsed + excluded.elapsed,
            since = CASE WHEN shares.ready = 0 THEN excluded.since ELSE shares.since END,
            turn_at = greatest(
                excluded.turn_at, CASE WHEN shares.ready = 0 THEN excluded.since ELSE shares.since END
            );
    END IF;
    PERFORM set_turns(p_touched);
    INSERT INTO counters (crawl, shard, name, value)
    SELECT given.crawl, pg_backend_pid() % c_shards, given.name, given.value
    FROM unnest(c_crawl, c_name, c_value) AS given (crawl, name, value)
    ON CONFLICT (crawl, shard, name) DO UPDATE SET value = counters.value + excluded.value;
    RETURN v_locked;
END $$;
"""  # noqa: S608

_INSERT_LEASES = """
CREATE OR REPLACE FUNCTION insert_leases(
    p_node text, p_expires_at double precision, p_left integer[],
    l_host bigint[], l_slots integer[], l_crawls text[], l_links text[]
) RETURNS TABLE (leased bigint, fence bigint, next double precision) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    v_next double precision := next_moment(p_left);
BEGIN
    RETURN QUERY
        INSERT INTO leases (node, host, slots, expires_at, crawls, links)
        SELECT p_node, given.host, given.slots, p_expires_at, given.crawls::integer[], given.links
        FROM unnest(l_host, l_slots, l_crawls, l_links) AS given (host, slots, crawls, links)
        RETURNING leases.host, leases.fence, v_next;
END $$;
"""

FUNCTIONS = _ENTER + _SPENT + _NEXT_MOMENT + _SET_TURNS + _CHANGE + _INSERT_LEASES
