-- The links in ARGV[6] lists of the crawl with the number ARGV[4], from list ARGV[5] on. Returns for each its
-- entry, its record or nothing, and the moment it waits for or nothing.

local number, first, lists = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local answer = {}

local function due(place, entry)
  if byte(entry) < 0x93 then
    return ''
  end
  local parts = Links.parts(entry)
  if parts[3][1] ~= RETRY then
    return ''
  end
  local code = Queue.rank(parts[2][3]) * RANK + place
  return call('ZSCORE', root .. 'd:' .. number .. ':' .. Links.host(parts[2]), code) or ''
end

for chunk = first, first + lists - 1 do
  for at, entry in ipairs(call('LRANGE', root .. 'b:' .. number .. ':' .. chunk, 0, -1)) do
    local place = chunk * CHUNK + at
    answer[#answer + 1] = entry
    answer[#answer + 1] = call('HGET', root .. 'r:' .. number .. ':' .. floor(place / CHUNK), place) or ''
    answer[#answer + 1] = due(place, entry)
  end
end
return answer
