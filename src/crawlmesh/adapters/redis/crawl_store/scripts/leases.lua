-- Leases: which links they hold, and how they end. A lease's links are a flat array of crawl, id and code.

local NODE, HOST, LEASE_SLOTS, EXPIRES_AT, LINKS = 1, 2, 3, 4, 5

local function lease_of(fence)
  local blob = call('HGET', root .. 'l', fence)
  return blob and unpacked(blob)
end

local function write_lease(fence, lease)
  call('HSET', root .. 'l', fence, pack(lease))
end

-- Make links of a lease pending again at once. They are given as they lie in a lease.
local function give_back(host, links, now)
  for at = 1, #links, 3 do
    local number = links[at]
    local share = share_of(number, host)
    share[QUEUED] = share[QUEUED] + 1
    queue_again(number, host, share, links[at + 2], now)
    count(number, 'leased', -1)
    count(number, 'pending', 1)
  end
end

-- End a lease: what it still holds is pending again, its host rests.
local function release(fence, lease, now, rest)
  local host = lease[HOST]
  local row = host_row(host)
  row[LEASES] = row[LEASES] - 1
  row[USED] = row[USED] - lease[LEASE_SLOTS]
  let_rest(host, now, rest or delay_of(row))
  call('HDEL', root .. 'l', fence)
  call('ZREM', root .. 'le', fence)
  give_back(host, lease[LINKS], now)
  offer_host(host)
end
