-- Grants host batches. ARGV[4]: node, crawl ids, max links, max batches, batch links, batch slots, duration.
-- ARGV[5]: the first fence to give, where fences come from another partition. Where a later one was given out
-- here already, the answer is empty. ARGV[6]: 1 where a crawl that has less of its budget here than is asked for
-- shall get more before anything is granted. Returns numbers of the batches, then for each its host, state and limits, and the entries of its links.

local now = current_time()
local node, crawl_ids, links_left, batches_left, batch_links, batch_slots, duration = unpack(unpacked(ARGV[4]))
local expires_at = now + duration
local crawls, by_number = {}, {} -- those with links to give: number, place in the request, how many, head
local answer, batches = { '' }, {}

-- The first host of a crawl's turns, and when it is ready; entries that lie too early are corrected.
local function next_turn(crawl)
  local key = root .. 't:' .. crawl.number
  while true do
    local head = call('ZRANGE', key, 0, 0, 'WITHSCORES')
    if not head[1] then
      return nil
    end
    local moment, host = tonumber(head[2]), head[1]
    local ready = Turns.ready_at(Shares.of(crawl.number, host), host)
    if ready == moment then
      return moment, host
    elseif ready then
      call('ZADD', key, ready, host)
    else
      call('ZREM', key, host)
    end
  end
end

local function look_ahead(crawl)
  crawl.turn, crawl.host = nil, nil
  if crawl.left > 0 then
    crawl.turn, crawl.host = next_turn(crawl)
  end
end

local function first_crawl()
  local first
  for _, crawl in ipairs(crawls) do
    if crawl.turn and (not first or crawl.turn < first.turn) then
      first = crawl
    end
  end
  return first
end

local function batch_size(row)
  local size = min(links_left, batch_links)
  local delay = Hosts.delay(row)
  if delay > 0 then
    size = min(size, max(1, floor(duration / 2 / delay)))
  end
  return size
end

-- Up to `size` pending links of a share, the first ones first, as codes; and one more from each list, so
-- that it is seen which lists are empty afterwards.
local function candidates(crawl, host, share, size)
  local found, sources = {}, {}
  local function look(key, codes)
    sources[#sources + 1] = { key = key, left = #codes, taken = 0 }
    for _, code in ipairs(codes) do
      found[#found + 1] = { code = code, crawl = crawl, source = sources[#sources] }
    end
  end
  if share[RETURNED] > 0 then
    local key, codes = root .. 'qb:' .. crawl.number .. ':' .. host, {}
    for at, code in ipairs(call('ZRANGE', key, 0, size)) do
      codes[at] = tonumber(code)
    end
    look(key, codes)
    sources[1].returned = true
  end
  local missing = size
  for rank = 0, 9 do
    if missing > 0 and Queue.has_rank(share, rank) then
      local key, codes = root .. 'q:' .. crawl.number .. ':' .. rank .. ':' .. host, {}
      for at, place in ipairs(call('LRANGE', key, 0, missing)) do
        codes[at] = rank * RANK + tonumber(place)
      end
      look(key, codes)
      sources[#sources].rank = rank
      missing = missing - #codes
    end
  end
  if #sources > 1 then
    table.sort(found, function(one, other) return one.code < other.code end)
  end
  for at = #found, min(size, crawl.left) + 1, -1 do
    found[at] = nil
  end
  return found, sources
end

local function read_entries(found, crawl)
  local places = {}
  for at, link in ipairs(found) do
    places[at] = link.code % RANK
  end
  for at, entry in ipairs(Links.entries_at(crawl.number, places)) do
    found[at].entry = entry
  end
end

local function take_from(crawl, host, share, sources)
  for _, source in ipairs(sources) do
    if source.taken > 0 then
      if source.returned then
        call('ZREMRANGEBYRANK', source.key, 0, source.taken - 1)
        share[RETURNED] = share[RETURNED] - source.taken
      else
        call('LPOP', source.key, source.taken)
      end
      share[QUEUED] = share[QUEUED] - source.taken
      crawl.left = crawl.left - source.taken
      Counters.add(crawl.number, 'pending', -source.taken)
      Counters.add(crawl.number, 'leased', source.taken)
    end
    if source.rank and source.taken == source.left then
      share[RANKS] = share[RANKS] - 2 ^ source.rank
    end
  end
  Shares.change(crawl.number, host)
  if not Shares.is_ready(share) and share[WAITING] == 0 then
    call('SREM', root .. 'w:' .. host, crawl.number)
  end
end

local function by_rank_and_age(one, other)
  local rank, other_rank = floor(one.code / RANK), floor(other.code / RANK)
  if rank ~= other_rank then
    return rank < other_rank
  end
  return Links.id(one.entry) < Links.id(other.entry)
end

-- Links of all crawls that the request is for, higher priorities first, then older ones.
local function take_links(host, size)
  local all, taking = {}, {}
  for _, number in ipairs(call('SMEMBERS', root .. 'w:' .. host)) do
    local crawl = by_number[tonumber(number)]
    local share = crawl and crawl.left > 0 and Shares.of(crawl.number, host)
    if share then
      Queue.add_due(crawl.number, host, share, now)
      local found, sources = candidates(crawl, host, share, size)
      read_entries(found, crawl)
      for _, link in ipairs(found) do
        all[#all + 1] = link
      end
      taking[#taking + 1] = { crawl, share, sources }
    end
  end
  if #taking > 1 then
    table.sort(all, by_rank_and_age)
  end
  local taken = {}
  for at = 1, min(size, #all) do
    taken[at] = all[at]
    all[at].source.taken = all[at].source.taken + 1
  end
  for _, take in ipairs(taking) do
    take_from(take[1], host, take[2], take[3])
  end
  return taken
end

local function new_fence()
  if ARGV[5] == '' then
    return call('HINCRBY', KEYS[1], 'fence', 1)
  end
  local sequence = tonumber(ARGV[5]) + #batches
  call('HSET', KEYS[1], 'last_fence', sequence)
  return sequence * ARGV[3] + ARGV[2]
end

local function grant(host)
  local row = Hosts.row(host)
  local taken = take_links(host, batch_size(row))
  local slots = Hosts.free_slots(host, row)
  if not Hosts.is_exclusive(row) then
    slots = min(slots, batch_slots, #taken)
  end
  local fence = new_fence()
  local held, batch = {}, { fence, slots, row[DELAY], row[SLOTS] }
  answer[#answer + 1] = host
  answer[#answer + 1] = call('HGET', root .. 'hs', host) or ''
  answer[#answer + 1] = call('HGET', root .. 'hl', host) or ''
  for _, link in ipairs(taken) do
    held[#held + 1], held[#held + 2], held[#held + 3] = link.crawl.number, Links.id(link.entry), link.code
    batch[#batch + 1] = link.crawl.place
    answer[#answer + 1] = link.entry
  end
  batches[#batches + 1] = batch
  Leases.write(fence, { node, host, slots, expires_at, held })
  call('ZADD', root .. 'le', expires_at, fence)
  row[LEASES], row[USED], row[OPEN_SINCE] = row[LEASES] + 1, row[USED] + slots, now
  Hosts.change(host)
  Hosts.served[host] = true
  links_left, batches_left = links_left - #taken, batches_left - 1
end

if ARGV[5] ~= '' and tonumber(call('HGET', KEYS[1], 'last_fence') or 0) >= tonumber(ARGV[5]) then
  return {}
end
for place, crawl_id in ipairs(crawl_ids) do
  local number = Crawls.number(crawl_id)
  if number and not by_number[number] then
    local row = Crawls.row(number)
    local crawl = { number = number, place = place - 1, left = Crawls.allowance(number, row), round = row[ROUND] }
    crawls[#crawls + 1], by_number[number] = crawl, crawl
    look_ahead(crawl)
  end
end

local is_short = false
for _, crawl in ipairs(crawls) do
  if ARGV[6] == '1' and crawl.left < links_left and (crawl.left <= 0 or crawl.turn and crawl.turn <= now) then
    is_short, crawl.is_short = true, true
  end
end

while links_left > 0 and batches_left > 0 and not is_short do
  local crawl = first_crawl()
  if not crawl or crawl.turn > now then
    break
  end
  local turn, host = next_turn(crawl) -- another crawl may have had the host
  if turn == crawl.turn and host == crawl.host then
    grant(host)
  end
  look_ahead(crawl)
end

for host in pairs(Hosts.served) do
  Hosts.served[host] = nil
  Turns.offer_host(host)
end
Hosts.write()
Counters.write()

local soonest
for _, crawl in ipairs(crawls) do
  local turn = crawl.left > 0 and next_turn(crawl)
  if turn and (not soonest or turn < soonest) then
    soonest = turn
  end
end
local rounds, unfinished, dry = {}, {}, {} -- dry: places of crawls that need more of their budget
for at, crawl in ipairs(crawls) do
  rounds[2 * at - 1], rounds[2 * at] = crawl.place, crawl.round
  if Crawls.row(crawl.number)[REQUEUES] then
    unfinished[#unfinished + 1] = crawl.number
  end
  if crawl.is_short then
    dry[#dry + 1] = crawl.place
  end
end
answer[1] = pack({ soonest and max(0, soonest - now) or -1, expires_at, rounds, unfinished, dry, batches })
return answer
