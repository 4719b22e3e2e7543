-- The counters of the crawl ARGV[4], and what its filter is like, where it has one; nil where it is unknown.

local number = Crawls.number(ARGV[4])
if not number then
  return nil
end
local key = root .. 'f:' .. number
return { call('HGETALL', root .. 'c:' .. number), Crawls.row(number)[BLOOM] and Bloom().status(key) or {} }
