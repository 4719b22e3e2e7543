-- Leases: which links they hold, and how they end. A lease's links are a flat array of crawl, id and code.

local NODE, HOST, LEASE_SLOTS, EXPIRES_AT, LINKS = 1, 2, 3, 4, 5

local Leases = {}

function Leases.of(fence)
  local blob = call('HGET', root .. 'l', fence)
  return blob and unpacked(blob)
end

function Leases.write(fence, lease)
  call('HSET', root .. 'l', fence, pack(lease))
end

-- Make links of a lease pending again at once. They are given as they lie in a lease.
function Leases.give_back(host, links, now)
  for at = 1, #links, 3 do
    local number = links[at]
    local share = Shares.of(number, host)
    share[QUEUED] = share[QUEUED] + 1
    Queue.add_again(number, host, share, links[at + 2], now)
    Counters.add(number, 'leased', -1)
    Counters.add(number, 'pending', 1)
  end
end

-- End a lease: what it still holds is pending again, its host rests.
function Leases.release(fence, lease, now, rest)
  local host = lease[HOST]
  local row = Hosts.row(host)
  row[LEASES] = row[LEASES] - 1
  row[USED] = row[USED] - lease[LEASE_SLOTS]
  Hosts.let_rest(host, now, rest or Hosts.delay(row))
  call('HDEL', root .. 'l', fence)
  call('ZREM', root .. 'le', fence)
  Leases.give_back(host, lease[LINKS], now)
  Turns.offer_host(host)
end
