-- Hosts, what crawls have of them, and whose turn it is. Rows are read once and written once in a script.

local DELAY, SLOTS, EXCLUSIVE, OPEN_SINCE, LEASES, USED, LIMIT_DELAY, LIMIT_SLOTS, BLOCKED = 1, 2, 3, 4, 5, 6, 7, 8, 9
local QUEUED, RANKS, RETURNED, WAITING, DUE, SINCE, DONE, DEAD, REQUESTS, ELAPSED = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10

local Hosts = { rows = {}, changed = {}, served = {} } -- served: those that have their batch of this call
local Shares = { rows = {}, changed = {} }
local Turns = { offered = {} }
local Queue = { fresh = {} } -- by crawl, host and rank: places of links to queue

function Hosts.row(host)
  local row = Hosts.rows[host]
  if row == nil then
    local blob = call('HGET', root .. 'h', host)
    row = blob and unpacked(blob) or false
    Hosts.rows[host] = row
  end
  return row
end

function Hosts.change(host)
  Hosts.changed[host] = true
  return Hosts.rows[host]
end

function Hosts.apply_limits(row, limits)
  row[LIMIT_DELAY], row[LIMIT_SLOTS], row[BLOCKED] = -1, -1, 0
  if limits then
    local delay, slots, blocked = unpack(unpacked(limits), 1, 3)
    row[LIMIT_DELAY], row[LIMIT_SLOTS], row[BLOCKED] = delay or -1, slots or -1, blocked and 1 or 0
  end
end

function Hosts.meet(host, delay, slots, now)
  local row = { delay, slots, 1, now, 0, 0 }
  Hosts.apply_limits(row, call('HGET', root .. 'hl', host))
  Hosts.rows[host], Hosts.changed[host] = row, true
  call('ZADD', root .. 'hn', 0, host)
  return row
end

function Hosts.delay(row)
  return max(row[DELAY], row[LIMIT_DELAY])
end

function Hosts.is_exclusive(row)
  return row[EXCLUSIVE] == 1 or row[LIMIT_DELAY] > row[DELAY]
end

function Hosts.free_slots(host, row)
  if Hosts.served[host] or row[BLOCKED] == 1 or (row[LEASES] > 0 and Hosts.is_exclusive(row)) then
    return 0
  end
  local slots = row[LIMIT_SLOTS] >= 0 and row[LIMIT_SLOTS] or row[SLOTS]
  return max(0, slots - row[USED])
end

-- A rest never cuts a longer one short.
function Hosts.let_rest(host, now, seconds)
  local row = Hosts.row(host)
  row[OPEN_SINCE] = max(row[OPEN_SINCE], now + seconds)
  Hosts.change(host)
end

function Hosts.take_state(host, delay, slots, exclusive, state)
  local row = Hosts.row(host)
  row[DELAY], row[SLOTS], row[EXCLUSIVE] = delay, slots, exclusive and 1 or 0
  Hosts.change(host)
  call('HSET', root .. 'hs', host, state)
end

-- Shares -------------------------------------------------------------------------------------------------

function Shares.of(number, host)
  local of_crawl = Shares.rows[number]
  if not of_crawl then
    of_crawl = {}
    Shares.rows[number], Shares.changed[number] = of_crawl, {}
    Turns.offered[number], Queue.fresh[number] = {}, {}
  end
  local share = of_crawl[host]
  if share == nil then
    local blob = call('HGET', root .. 's:' .. number, host)
    share = blob and unpacked(blob) or false
    of_crawl[host] = share
  end
  return share
end

function Shares.new(number, host)
  local share = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
  Shares.rows[number][host] = share
  return share
end

function Shares.change(number, host)
  Shares.changed[number][host] = true
end

function Shares.is_ready(share)
  return share[RANKS] ~= 0 or share[RETURNED] > 0
end

-- From when on a host can be leased for a crawl; nil where time alone does not bring that about.
function Turns.ready_at(share, host)
  local row = Hosts.row(host)
  if not share or not row or Hosts.free_slots(host, row) == 0 then
    return nil
  end
  local since = Shares.is_ready(share) and share[SINCE] or nil
  if share[WAITING] > 0 and (not since or share[DUE] < since) then
    since = share[DUE]
  end
  return since and max(since, row[OPEN_SINCE])
end

function Turns.offer(number, host)
  Turns.offered[number][host] = true
end

function Turns.offer_host(host)
  for _, number in ipairs(call('SMEMBERS', root .. 'w:' .. host)) do
    number = tonumber(number)
    if Shares.of(number, host) then
      Turns.offer(number, host)
    end
  end
end

function Queue.begin_waiting(number, host, share)
  if not Shares.is_ready(share) and share[WAITING] == 0 then
    call('SADD', root .. 'w:' .. host, number)
  end
end

-- Queueing -----------------------------------------------------------------------------------------------

function Queue.rank(priority)
  return 10 - min(10, max(1, priority))
end

function Queue.has_rank(share, rank)
  return floor(share[RANKS] / 2 ^ rank) % 2 == 1
end

-- A link whose place is above those of all others of its rank. The caller counts it as queued.
function Queue.add_fresh(number, host, share, rank, place, now)
  Queue.begin_waiting(number, host, share)
  if not Shares.is_ready(share) then
    share[SINCE] = now
  end
  if not Queue.has_rank(share, rank) then
    share[RANKS] = share[RANKS] + 2 ^ rank
  end
  local of_host = Queue.fresh[number][host]
  if not of_host then
    of_host = {}
    Queue.fresh[number][host] = of_host
  end
  local places = of_host[rank]
  if not places then
    places = {}
    of_host[rank] = places
  end
  places[#places + 1] = place
  Shares.change(number, host)
  Turns.offer(number, host)
end

-- A link that was out already: it goes before younger ones. The caller counts it as queued.
function Queue.add_again(number, host, share, code, since)
  Queue.begin_waiting(number, host, share)
  if not Shares.is_ready(share) then
    share[SINCE] = since
  end
  share[RETURNED] = share[RETURNED] + call('ZADD', root .. 'qb:' .. number .. ':' .. host, code, code)
  Shares.change(number, host)
  Turns.offer(number, host)
end

function Queue.add_later(number, host, share, code, due)
  Queue.begin_waiting(number, host, share)
  if share[WAITING] == 0 or due < share[DUE] then
    share[DUE] = due
  end
  share[WAITING] = share[WAITING] + call('ZADD', root .. 'd:' .. number .. ':' .. host, due, code)
  Shares.change(number, host)
  Turns.offer(number, host)
end

-- Links whose time to be tried again has come.
function Queue.add_due(number, host, share, now)
  if share[WAITING] == 0 or share[DUE] > now then
    return
  end
  local key = root .. 'd:' .. number .. ':' .. host
  local due = call('ZRANGEBYSCORE', key, '-inf', now, 'WITHSCORES')
  for at = 1, #due, 2 do
    Queue.add_again(number, host, share, due[at], tonumber(due[at + 1]))
  end
  call('ZREMRANGEBYSCORE', key, '-inf', now)
  share[WAITING] = share[WAITING] - #due / 2
  local first = call('ZRANGE', key, 0, 0, 'WITHSCORES')
  share[DUE] = tonumber(first[2] or 0)
end

-- Writing ------------------------------------------------------------------------------------------------

function Queue.write()
  for number, hosts in pairs(Queue.fresh) do
    for host, ranks in pairs(hosts) do
      for rank, places in pairs(ranks) do
        local key = root .. 'q:' .. number .. ':' .. rank .. ':' .. host
        for from = 1, #places, PIECE do
          call('RPUSH', key, unpack(places, from, min(from + PIECE - 1, #places)))
        end
      end
    end
    Queue.fresh[number] = {}
  end
end

function Shares.write_rows(key, rows, changed)
  local arguments = {}
  for name in pairs(changed) do
    arguments[#arguments + 1] = name
    arguments[#arguments + 1] = pack(rows[name])
  end
  call_with_many('HSET', key, arguments)
end

-- An entry of the turns never lies later than its host is ready; earlier ones are corrected when met.
function Turns.write()
  for number, hosts in pairs(Turns.offered) do
    local arguments = {}
    for host in pairs(hosts) do
      local moment = Turns.ready_at(Shares.of(number, host), host)
      if moment then
        arguments[#arguments + 1] = moment
        arguments[#arguments + 1] = host
      end
    end
    for from = 1, #arguments, PIECE do
      local to = min(from + PIECE - 1, #arguments)
      call('ZADD', root .. 't:' .. number, 'LT', unpack(arguments, from, to))
    end
    Turns.offered[number] = {}
  end
end

function Hosts.write()
  Queue.write()
  for number, changed in pairs(Shares.changed) do
    Shares.write_rows(root .. 's:' .. number, Shares.rows[number], changed)
    Shares.changed[number] = {}
  end
  Shares.write_rows(root .. 'h', Hosts.rows, Hosts.changed)
  Hosts.changed = {}
  Turns.write()
end
