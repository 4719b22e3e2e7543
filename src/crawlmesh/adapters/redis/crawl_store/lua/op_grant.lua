-- At the home of the budgets: grants the partition ARGV[5] up to ARGV[6] more pages of the crawl ARGV[4].
-- From ARGV[7] on stand partitions and what each of them has given back so far.
-- Returns what the partition was granted altogether, and how much of it just now.

local number = Crawls.number(ARGV[4])
if not number then
  return { 0, 0 }
end
local key, most = root .. 'g:' .. number .. ':granted', Crawls.row(number)[MAX_PAGES] or 0
local back = root .. 'g:' .. number .. ':returned'
for at = 7, #ARGV, 2 do
  local known = tonumber(call('HGET', back, ARGV[at]) or 0)
  call('HSET', back, ARGV[at], max(known, tonumber(ARGV[at + 1])))
end
local out = 0
for _, granted in ipairs(call('HVALS', key)) do
  out = out + tonumber(granted)
end
for _, returned in ipairs(call('HVALS', back)) do
  out = out - tonumber(returned)
end
local more = max(0, min(tonumber(ARGV[6]), most - out))
if more > 0 then
  call('HINCRBY', key, ARGV[5], more)
end
return { tonumber(call('HGET', key, ARGV[5]) or 0), more }
