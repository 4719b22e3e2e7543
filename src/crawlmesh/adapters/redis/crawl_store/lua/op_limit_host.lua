-- Lays limits down for the host ARGV[4]; ARGV[5] is empty where there are none any more.

local host, limits = ARGV[4], ARGV[5]
local row = Hosts.row(host)
if limits ~= '' then
  call('HSET', root .. 'hl', host, limits)
  call('ZADD', root .. 'hn', 0, host)
else
  call('HDEL', root .. 'hl', host)
  if not row then
    call('ZREM', root .. 'hn', host)
  end
end
if row then
  Hosts.apply_limits(row, limits ~= '' and limits)
  Hosts.change(host)
  Turns.offer_host(host)
  Hosts.write()
end
return 1
