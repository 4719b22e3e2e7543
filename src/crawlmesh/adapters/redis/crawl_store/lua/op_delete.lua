-- Forgets the crawl ARGV[4]. What it leaves behind is taken away by op_clean. Returns 0 where it is unknown.

local now = current_time()
local number = Crawls.number(ARGV[4])
if not number then
  return 0
end
local leases = call('HGETALL', root .. 'l')
for at = 1, #leases, 2 do
  local fence, lease, others = leases[at], unpacked(leases[at + 1]), {}
  local links = lease[LINKS]
  for from = 1, #links, 3 do
    if links[from] ~= number then
      others[#others + 1], others[#others + 2], others[#others + 3] = links[from], links[from + 1], links[from + 2]
    end
  end
  if #others < #links then
    lease[LINKS] = others
    if #others == 0 then
      Leases.release(fence, lease, now)
    else
      Leases.write(fence, lease)
    end
  end
end
Hosts.write()
Counters.write()
local known = call('HMGET', root .. 'm:' .. number, 'places', 'skips', 'buckets')
local left = { floor(tonumber(known[1] or 0) / CHUNK), floor(tonumber(known[2] or 0) / CHUNK), tonumber(known[3] or 1) }
call('HSET', root .. 'gone', number, pack(left))
call('HDEL', root .. 'numbers', ARGV[4])
call('HDEL', root .. 'crawls', number)
call('HDEL', root .. 'definitions', number)
if call('EXISTS', root .. 's:' .. number) == 1 then
  call('RENAME', root .. 's:' .. number, root .. 'g:' .. number)
end
for _, name in ipairs({ 't:', 'c:', 'x:', 'y:', 'tp:', 'm:' }) do
  call('UNLINK', root .. name .. number)
end
call('UNLINK', root .. 'b:' .. number, root .. 'g:' .. number .. ':granted', root .. 'g:' .. number .. ':returned')
Bloom().delete(root .. 'f:' .. number)
Bloom().delete(root .. 'fs:' .. number)
return 1
