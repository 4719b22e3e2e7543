-- Ends host batches. For each: ARGV has its numbers, its state or nothing, then for every outcome one
-- argument and, where it has a record, another one, then the load of what was discovered.
-- Returns 1 for each that was taken, 0 for each that was refused.

local FENCE, REST, STATE, OUTCOMES, UNFINISHED, LOAD = 1, 2, 3, 4, 5, 6
local ID, KIND, STATUS, REASON, TIME_TAKEN, SIZE, RETRY_IN, AT, HAS_RECORD = 1, 2, 3, 4, 5, 6, 7, 8, 9
local KINDS = { [0] = 'fetched', 'not_modified', 'redirected', 'skipped', 'returned', 'retry', 'dead' }
local FETCHED, NOT_MODIFIED, SKIPPED, GIVEN_BACK = 0, 1, 3, 4

local now = current_time()

local function write_record(number, place, entry, outcome)
  local chunk = floor(place / CHUNK)
  local key = root .. 'r:' .. number .. ':' .. chunk
  if outcome[KIND] == FETCHED and outcome[HAS_RECORD] then
    local record = '\147' .. sub(entry, 2) .. ARGV[outcome[AT] + 1]
    if call('HSET', key, place, record) == 1 then
      call('SETBIT', root .. 'rb:' .. number, chunk, 1)
      count(number, 'records', 1)
    end
  elseif crawl_row(number)[ROUND] > 0 and call('HDEL', key, place) == 1 then
    count(number, 'records', -1)
  end
end

local function count_attempt(number, share, outcome)
  local kind = outcome[KIND]
  count(number, 'leased', -1)
  count(number, 'outcome/' .. KINDS[kind], 1)
  count(number, 'bytes', outcome[SIZE])
  if outcome[STATUS] then
    count(number, 'status/' .. outcome[STATUS], 1)
  end
  if kind == FETCHED or kind == NOT_MODIFIED then
    count(number, 'pages', 1)
  elseif kind == SKIPPED then
    count(number, 'rule/' .. (outcome[REASON] or 'unknown'), 1)
  elseif kind == DIED then
    count(number, 'reason/' .. (outcome[REASON] or 'unknown'), 1)
  elseif kind == RETRY then
    count(number, 'retries', 1)
  end
  share[REQUESTS] = share[REQUESTS] + 1
  share[ELAPSED] = share[ELAPSED] + outcome[TIME_TAKEN]
end

-- Move a link to where its outcome leads.
local function finish(host, number, code, outcome)
  local share, place, kind = share_of(number, host), code % RANK, outcome[KIND]
  local row = crawl_row(number)
  count_attempt(number, share, outcome)
  local entry = entry_at(number, place)
  if kind ~= RETRY and kind ~= NOT_MODIFIED then
    write_record(number, place, with_outcome('\146' .. identity_of(entry), ARGV[outcome[AT]], 0), outcome)
  end
  write_entry(number, place, with_outcome(entry, ARGV[outcome[AT]], row[ROUND], kind ~= FETCHED))
  change_share(number, host)
  if kind == RETRY then
    count(number, 'pending', 1)
    share[QUEUED] = share[QUEUED] + 1
    if outcome[RETRY_IN] > 0 then
      queue_later(number, host, share, code, now + outcome[RETRY_IN])
    else
      queue_again(number, host, share, code, now)
    end
  elseif kind == DIED then
    count(number, 'dead', 1)
    share[DEAD] = share[DEAD] + 1
    call('RPUSH', root .. 'x:' .. number, code)
  else
    count(number, 'done', 1)
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
  local lease = lease_of(settlement[FENCE])
  if not lease then
    return 0
  end
  local host, state, rest = lease[HOST], settlement[STATE], settlement[REST]
  local kept, returned = apply_outcomes(lease, settlement)
  add_load(settlement[LOAD], now)
  if state then
    take_state(host, state[1], state[2], state[3], ARGV[state[4]])
  end
  lease[LINKS] = returned
  if #kept == 0 then
    release(settlement[FENCE], lease, now, rest)
    return 1
  end
  let_rest(host, now, rest or 0)
  give_back(host, returned, now)
  offer_host(host)
  lease[LINKS] = kept
  write_lease(settlement[FENCE], lease)
  return 1
end

local answers = {}
for at, settlement in ipairs(unpacked(ARGV[4])) do
  answers[at] = settle(settlement)
end
write_intakes()
write_last_id()
write_hosts()
write_counts()
return answers
