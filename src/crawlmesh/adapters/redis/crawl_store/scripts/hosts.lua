-- Hosts, what crawls have of them, and whose turn it is. Rows are read once and written once in a script.

local DELAY, SLOTS, EXCLUSIVE, OPEN_SINCE, LEASES, USED, LIMIT_DELAY, LIMIT_SLOTS, BLOCKED = 1, 2, 3, 4, 5, 6, 7, 8, 9
local QUEUED, RANKS, RETURNED, WAITING, DUE, SINCE, DONE, DEAD, REQUESTS, ELAPSED = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

local host_rows, changed_hosts = {}, {}
local shares, changed_shares, offered = {}, {}, {}
local fresh = {} -- by crawl, host and rank: places of links to queue
local served = {} -- hosts that have their batch of this call

local function host_row(host)
  local row = host_rows[host]
  if row == nil then
    local blob = call('HGET', root .. 'h', host)
    row = blob and unpacked(blob) or false
    host_rows[host] = row
  end
  return row
end

local function change_host(host)
  changed_hosts[host] = true
  return host_rows[host]
end

local function apply_limits(row, limits)
  row[LIMIT_DELAY], row[LIMIT_SLOTS], row[BLOCKED] = -1, -1, 0
  if limits then
    local delay, slots, blocked = unpack(unpacked(limits), 1, 3)
    row[LIMIT_DELAY], row[LIMIT_SLOTS], row[BLOCKED] = delay or -1, slots or -1, blocked and 1 or 0
  end
end

local function meet_host(host, delay, slots, now)
  local row = { delay, slots, 1, now, 0, 0 }
  apply_limits(row, call('HGET', root .. 'hl', host))
  host_rows[host], changed_hosts[host] = row, true
  call('ZADD', root .. 'hn', 0, host)
  return row
end

local function delay_of(row)
  return max(row[DELAY], row[LIMIT_DELAY])
end

local function is_exclusive(row)
  return row[EXCLUSIVE] == 1 or row[LIMIT_DELAY] > row[DELAY]
end

local function free_slots(host, row)
  if served[host] or row[BLOCKED] == 1 or (row[LEASES] > 0 and is_exclusive(row)) then
    return 0
  end
  local slots = row[LIMIT_SLOTS] >= 0 and row[LIMIT_SLOTS] or row[SLOTS]
  return max(0, slots - row[USED])
end

-- A rest never cuts a longer one short.
local function let_rest(host, now, seconds)
  local row = host_row(host)
  row[OPEN_SINCE] = max(row[OPEN_SINCE], now + seconds)
  change_host(host)
end

local function take_state(host, delay, slots, exclusive, state)
  local row = host_row(host)
  row[DELAY], row[SLOTS], row[EXCLUSIVE] = delay, slots, exclusive and 1 or 0
  change_host(host)
  call('HSET', root .. 'hs', host, state)
end

-- Shares -------------------------------------------------------------------------------------------------

local function share_of(number, host)
  local of_crawl = shares[number]
  if not of_crawl then
    of_crawl = {}
    shares[number], changed_shares[number], offered[number], fresh[number] = of_crawl, {}, {}, {}
  end
  local share = of_crawl[host]
  if share == nil then
    local blob = call('HGET', root .. 's:' .. number, host)
    share = blob and unpacked(blob) or false
    of_crawl[host] = share
  end
  return share
end

local function new_share(number, host)
  local share = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
  shares[number][host] = share
  return share
end

local function change_share(number, host)
  changed_shares[number][host] = true
end

local function is_ready(share)
  return share[RANKS] ~= 0 or share[RETURNED] > 0
end

-- From when on a host can be leased for a crawl; nil where time alone does not bring that about.
local function ready_at(share, host)
  local row = host_row(host)
  if not share or not row or free_slots(host, row) == 0 then
    return nil
  end
  local since = is_ready(share) and share[SINCE] or nil
  if share[WAITING] > 0 and (not since or share[DUE] < since) then
    since = share[DUE]
  end
  return since and max(since, row[OPEN_SINCE])
end

local function offer(number, host)
  offered[number][host] = true
end

local function offer_host(host)
  for _, number in ipairs(call('SMEMBERS', root .. 'w:' .. host)) do
    number = tonumber(number)
    if share_of(number, host) then
      offer(number, host)
    end
  end
end

local function begin_waiting(number, host, share)
  if not is_ready(share) and share[WAITING] == 0 then
    call('SADD', root .. 'w:' .. host, number)
  end
end

-- Queueing -----------------------------------------------------------------------------------------------

local function rank_of(priority)
  return 10 - min(10, max(1, priority))
end

local function has_rank(share, rank)
  return floor(share[RANKS] / 2 ^ rank) % 2 == 1
end

-- A link whose place is above those of all others of its rank. The caller counts it as queued.
local function queue_fresh(number, host, share, rank, place, now)
  begin_waiting(number, host, share)
  if not is_ready(share) then
    share[SINCE] = now
  end
  if not has_rank(share, rank) then
    share[RANKS] = share[RANKS] + 2 ^ rank
  end
  local of_host = fresh[number][host]
  if not of_host then
    of_host = {}
    fresh[number][host] = of_host
  end
  local places = of_host[rank]
  if not places then
    places = {}
    of_host[rank] = places
  end
  places[#places + 1] = place
  change_share(number, host)
  offer(number, host)
end

-- A link that was out already: it goes before younger ones. The caller counts it as queued.
local function queue_again(number, host, share, code, since)
  begin_waiting(number, host, share)
  if not is_ready(share) then
    share[SINCE] = since
  end
  share[RETURNED] = share[RETURNED] + call('ZADD', root .. 'qb:' .. number .. ':' .. host, code, code)
  change_share(number, host)
  offer(number, host)
end

local function queue_later(number, host, share, code, due)
  begin_waiting(number, host, share)
  if share[WAITING] == 0 or due < share[DUE] then
    share[DUE] = due
  end
  share[WAITING] = share[WAITING] + call('ZADD', root .. 'd:' .. number .. ':' .. host, due, code)
  change_share(number, host)
  offer(number, host)
end

-- Links whose time to be tried again has come.
local function queue_due(number, host, share, now)
  if share[WAITING] == 0 or share[DUE] > now then
    return
  end
  local key = root .. 'd:' .. number .. ':' .. host
  local due = call('ZRANGEBYSCORE', key, '-inf', now, 'WITHSCORES')
  for at = 1, #due, 2 do
    queue_again(number, host, share, due[at], tonumber(due[at + 1]))
  end
  call('ZREMRANGEBYSCORE', key, '-inf', now)
  share[WAITING] = share[WAITING] - #due / 2
  local first = call('ZRANGE', key, 0, 0, 'WITHSCORES')
  share[DUE] = tonumber(first[2] or 0)
end

-- Writing ------------------------------------------------------------------------------------------------

local function write_fresh()
  for number, hosts in pairs(fresh) do
    for host, ranks in pairs(hosts) do
      for rank, places in pairs(ranks) do
        local key = root .. 'q:' .. number .. ':' .. rank .. ':' .. host
        for from = 1, #places, PIECE do
          call('RPUSH', key, unpack(places, from, min(from + PIECE - 1, #places)))
        end
      end
    end
    fresh[number] = {}
  end
end

local function write_rows(key, rows, changed)
  local arguments = {}
  for name in pairs(changed) do
    arguments[#arguments + 1] = name
    arguments[#arguments + 1] = pack(rows[name])
  end
  call_with_many('HSET', key, arguments)
end

-- An entry of the turns never lies later than its host is ready; earlier ones are corrected when met.
local function write_offers()
  for number, hosts in pairs(offered) do
    local arguments = {}
    for host in pairs(hosts) do
      local moment = ready_at(share_of(number, host), host)
      if moment then
        arguments[#arguments + 1] = moment
        arguments[#arguments + 1] = host
      end
    end
    for from = 1, #arguments, PIECE do
      local to = min(from + PIECE - 1, #arguments)
      call('ZADD', root .. 't:' .. number, 'LT', unpack(arguments, from, to))
    end
    offered[number] = {}
  end
end

local function write_hosts()
  write_fresh()
  for number, changed in pairs(changed_shares) do
    write_rows(root .. 's:' .. number, shares[number], changed)
    changed_shares[number] = {}
  end
  write_rows(root .. 'h', host_rows, changed_hosts)
  changed_hosts = {}
  write_offers()
end
