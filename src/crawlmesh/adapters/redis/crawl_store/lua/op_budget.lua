-- At a partition: takes note of what it was granted of the crawl ARGV[4] altogether, ARGV[5], or gives back what it
-- does not use, where that is empty. Returns what it has given back altogether.

local number = Crawls.number(ARGV[4])
if not number then
  return 0
end
local key = root .. 'm:' .. number
if ARGV[5] ~= '' then
  call('HSET', key, 'granted', max(tonumber(call('HGET', key, 'granted') or 0), tonumber(ARGV[5])))
else
  local row = Crawls.row(number)
  local spare = row[MAX_PAGES] and Crawls.allowance(number, row) or 0
  if spare > 0 then
    call('HINCRBY', key, 'returned', spare)
  end
end
return tonumber(call('HGET', key, 'returned') or 0)
