-- Begins another round over the crawl ARGV[4]. Its links count as pending from here on; op_requeue queues
-- them, piece by piece. Returns its number and how many are pending, or nothing where it is unknown,
-- and only its number where a filter knows its links: those that are done are forgotten.

local number = Crawls.number(ARGV[4])
if not number then
  return {}
end
local row = Crawls.row(number)
if row[BLOOM] then
  return { number }
end
local known = call('HMGET', root .. 'm:' .. number, 'places', 'skips')
local skips = tonumber(known[2] or 0)
row[ROUND], row[SKIP_FLOOR], row[REQUEUES] = row[ROUND] + 1, skips, true
Crawls.write(number, row)
call('HSET', root .. 'm:' .. number, 'requeue', 0)

local key = root .. 'c:' .. number
local kept = call('HMGET', key, 'pending', 'leased', 'records', 'done', 'dead')
for at = 1, 5 do
  kept[at] = tonumber(kept[at] or 0)
end
local pending = kept[1] + kept[4] + kept[5]
call('DEL', key)
call('HSET', key, 'pending', pending, 'leased', kept[2], 'records', kept[3])

local rows, arguments = call('HGETALL', root .. 's:' .. number), {}
for at = 1, #rows, 2 do
  local share = unpacked(rows[at + 1])
  share[QUEUED] = share[QUEUED] + share[DONE] + share[DEAD]
  share[DONE], share[DEAD], share[REQUESTS], share[ELAPSED] = 0, 0, 0, 0
  arguments[at], arguments[at + 1] = rows[at], pack(share)
end
call_with_many('HSET', root .. 's:' .. number, arguments)

call('UNLINK', root .. 'tp:' .. number, root .. 'x:' .. number, root .. 'y:' .. number)
for chunk = 0, floor(skips / CHUNK) - 1 do
  call('UNLINK', root .. 'z:' .. number .. ':' .. chunk)
end
return { number, pending }
