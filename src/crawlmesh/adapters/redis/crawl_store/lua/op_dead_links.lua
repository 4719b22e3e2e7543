-- Dead links of the crawl ARGV[4] with ids above ARGV[5], at most ARGV[6]; ARGV[7]: only those that died for
-- this reason, or empty; ARGV[8]: the most to look at. Returns whether there may be more, the last id that was
-- looked at, and the entries.

local number, limit, reason, most = Crawls.number(ARGV[4]), tonumber(ARGV[6]), ARGV[7], tonumber(ARGV[8])
if not number then
  return { 0, 0 }
end
local key, first = Dead.key(number), Links.place_from(number, tonumber(ARGV[5]) + 1)
local codes = call('ZRANGEBYSCORE', key, first, '+inf', 'LIMIT', 0, most)
local answer, last = { #codes == most and 1 or 0, 0 }, 0
for _, code in ipairs(codes) do
  local entry = Links.entry_at(number, tonumber(code) % RANK)
  if entry then
    local parts = Links.parts(entry)
    local found = Dead.reason(number, parts)
    last = parts[1]
    if found and (reason == '' or found == reason) then
      answer[#answer + 1] = entry
      if #answer - 2 == limit then
        break
      end
    end
  end
end
answer[2] = last
return answer
