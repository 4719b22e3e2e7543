-- Ends host batches. For each: ARGV has its numbers, its state or nothing, then for every outcome one
-- argument and, where it has a record, another one, then the load of what was discovered.
-- Returns 1 for each that was taken, 0 for each that was refused.

local FENCE, REST, STATE, OUTCOMES, UNFINISHED, LOAD = 1, 2, 3, 4, 5, 6
local ID, KIND, STATUS, REASON, TIME_TAKEN, SIZE, RETRY_IN, AT, HAS_RECORD = 1, 2, 3, 4, 5, 6, 7, 8, 9
local KINDS = { [0] = 'fetched', 'not_modified', 'redirected', 'skipped', 'returned', 'retry', 'dead' }
local FETCHED, NOT_MODIFIED, SKIPPED, GIVEN_BACK = 0, 1, 3, 4

local now = current_time()

-- A record is made of the link's identity, its outcome and the data, so that it can be read by itself.
local function write_record(number, place, entry, outcome)
  local chunk = floor(place / CHUNK)
  local key = root .. 'r:' .. number .. ':' .. chunk
  if outcome[KIND] == FETCHED and outcome[HAS_RECORD] then
    local record = '\148' .. (Links.identity(entry)) .. ARGV[outcome[AT]] .. ARGV[outcome[AT] + 1]
    if call('HSET', key, place, record) == 1 then
      call('SETBIT', root .. 'rb:' .. number, chunk, 1)
      Counters.add(number, 'records', 1)
    end
  elseif Crawls.row(number)[ROUND] > 0 and call('HDEL', key, place) == 1 then
    Counters.add(number, 'records', -1)
  end
end

local function count_attempt(number, share, outcome)
  local kind = outcome[KIND]
  Counters.add(number, 'leased', -1)
  Counters.add(number, 'outcome/' .. KINDS[kind], 1)
  Counters.add(number, 'bytes', outcome[SIZE])
  if outcome[STATUS] then
    Counters.add(number, 'status/' .. outcome[STATUS], 1)
  end
  if kind == FETCHED or kind == NOT_MODIFIED then
    Counters.add(number, 'pages', 1)
  elseif kind == SKIPPED then
    Counters.add(number, 'rule/' .. (outcome[REASON] or 'unknown'), 1)
  elseif kind == DIED then
    Counters.add(number, 'reason/' .. (outcome[REASON] or 'unknown'), 1)
  elseif kind == RETRY then
    Counters.add(number, 'retries', 1)
  end
  share[REQUESTS] = share[REQUESTS] + 1
  share[ELAPSED] = share[ELAPSED] + outcome[TIME_TAKEN]
end

-- Move a link to where its outcome leads.
local function finish(host, number, code, outcome)
  local share, place, kind = Shares.of(number, host), code % RANK, outcome[KIND]
  local row = Crawls.row(number)
  count_attempt(number, share, outcome)
  local entry = Links.entry_at(number, place)
  if kind ~= RETRY and kind ~= NOT_MODIFIED then
    write_record(number, place, entry, outcome)
  end
  if row[BLOOM] and kind ~= RETRY and kind ~= DIED then
    Known.forget(Known.intake(number), Links.prints[place])
    call('HDEL', root .. 'b:' .. number, place)
  else
    local keeps_copy = kind == RETRY or kind == NOT_MODIFIED
    Links.write_entry(number, place, Links.with_outcome(entry, ARGV[outcome[AT]], row[ROUND], keeps_copy))
  end
  Shares.change(number, host)
  if kind == RETRY then
    Counters.add(number, 'pending', 1)
    share[QUEUED] = share[QUEUED] + 1
    if outcome[RETRY_IN] > 0 then
      Queue.add_later(number, host, share, code, now + outcome[RETRY_IN])
    else
      Queue.add_again(number, host, share, code, now)
    end
  elseif kind == DIED then
    Counters.add(number, 'dead', 1)
    share[DEAD] = share[DEAD] + 1
    call('ZADD', root .. 'y:' .. number, place, code)
  else
    Counters.add(number, 'done', 1)
    share[DONE] = share[DONE] + 1
  end
end

local function apply_outcomes(lease, settlement)
  local outcomes, unfinished, kept, returned = {}, {}, {}, {}
  for _, outcome in ipairs(settlement[OUTCOMES]) do
    outcomes[outcome[ID]] = outcomes[outcome[ID]] or outcome
  end
  for _, id in ipairs(settlement[UNFINISHED]) do
    unfinished[id] = true
  end
  local links = lease[LINKS]
  for at = 1, #links, 3 do
    local number, id, code = links[at], links[at + 1], links[at + 2]
    local outcome = outcomes[id]
    if outcome and outcome[KIND] ~= GIVEN_BACK then
      finish(lease[HOST], number, code, outcome)
    else
      local into = not outcome and unfinished[id] and kept or returned
      into[#into + 1], into[#into + 2], into[#into + 3] = number, id, code
    end
  end
  return kept, returned
end

local function settle(settlement)
  local lease = Leases.of(settlement[FENCE])
  if not lease then
    return 0
  end
  local host, state, rest = lease[HOST], settlement[STATE], settlement[REST]
  local kept, returned = apply_outcomes(lease, settlement)
  Adding.add_load(settlement[LOAD], now)
  if state then
    Hosts.take_state(host, state[1], state[2], state[3], ARGV[state[4]])
  end
  lease[LINKS] = returned
  if #kept == 0 then
    Leases.release(settlement[FENCE], lease, now, rest)
    return 1
  end
  Hosts.let_rest(host, now, rest or 0)
  Leases.give_back(host, returned, now)
  Turns.offer_host(host)
  lease[LINKS] = kept
  Leases.write(settlement[FENCE], lease)
  return 1
end

local answers = {}
for at, settlement in ipairs(unpacked(ARGV[4])) do
  answers[at] = settle(settlement)
end
Filters.close()
Known.write()
Adding.write()
Hosts.write()
Counters.write()
return answers
