-- Puts hosts that are copies from another store. ARGV[4]: for each its name, whether it was met, delay, slots,
-- whether it is exclusive, and when it is ready; then for each its state and its limits, or nothing.

for at, row in ipairs(unpacked(ARGV[4])) do
  local host, state, limits = row[1], ARGV[2 * at + 3], ARGV[2 * at + 4]
  if limits ~= '' then
    call('HSET', root .. 'hl', host, limits)
    call('ZADD', root .. 'hn', 0, host)
  end
  if row[2] then
    Hosts.meet(host, row[3], row[4], row[6])
    Hosts.change(host)[EXCLUSIVE] = row[5] and 1 or 0
    call('HSET', root .. 'hs', host, state)
  end
end
Hosts.write()
return 1
