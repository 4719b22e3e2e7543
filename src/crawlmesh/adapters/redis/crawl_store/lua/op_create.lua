-- Makes a crawl known, or changes a known one where ARGV[4] is 1. ARGV[5]: its row, ARGV[6]: its definition,
-- ARGV[7] on: what its filter is made by, where it has one.
-- Returns 1, or 0 where it is known already, or not known.

local row = unpacked(ARGV[5])
local number = Crawls.number(row[CRAWL_ID])
if ARGV[4] == '1' then
  if not number then
    return 0
  end
  local old = Crawls.row(number)
  for field = ROUND, REQUEUES do
    row[field] = old[field]
  end
elseif number then
  return 0
else
  number = call('HINCRBY', KEYS[1], 'crawl', 1)
  call('HSET', root .. 'numbers', row[CRAWL_ID], number)
  if row[BLOOM] then
    Bloom().create(root .. 'f:' .. number, ARGV[7], ARGV[8], ARGV[9], 'any')
  end
end
Crawls.write(number, row)
call('HSET', root .. 'definitions', number, ARGV[6])
return 1
