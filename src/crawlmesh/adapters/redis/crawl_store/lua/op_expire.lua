-- Ends leases that ran out, those of the node ARGV[4], or all where ARGV[5] is 1. Returns how many.

local now = current_time()
local over = {}
if ARGV[5] == '1' then
  over = call('HKEYS', root .. 'l')
else
  over = call('ZRANGEBYSCORE', root .. 'le', '-inf', now)
  if ARGV[4] ~= '' then
    local known = {}
    for _, fence in ipairs(over) do
      known[fence] = true
    end
    local leases = call('HGETALL', root .. 'l')
    for at = 1, #leases, 2 do
      if not known[leases[at]] and unpacked(leases[at + 1])[NODE] == ARGV[4] then
        over[#over + 1] = leases[at]
      end
    end
  end
end
table.sort(over, function(one, other) return tonumber(one) < tonumber(other) end)
for _, fence in ipairs(over) do
  Leases.release(fence, Leases.of(fence), now)
end
Hosts.write()
Counters.write()
return #over
