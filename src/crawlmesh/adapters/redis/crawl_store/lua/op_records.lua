-- Records of the crawl ARGV[4] with ids above ARGV[5], at most ARGV[6].

local number, limit = Crawls.number(ARGV[4]), tonumber(ARGV[6])
local records = {}
if not number then
  return records
end
local first = Links.place_from(number, tonumber(ARGV[5]) + 1)
local chunk = floor(first / CHUNK)

local function next_chunk(from)
  local key = root .. 'rb:' .. number
  while from % 8 ~= 0 do
    if call('GETBIT', key, from) == 1 then
      return from
    end
    from = from + 1
  end
  return call('BITPOS', key, 1, from / 8)
end

local function read_chunk()
  local found, places, by_place = call('HGETALL', root .. 'r:' .. number .. ':' .. chunk), {}, {}
  for at = 1, #found, 2 do
    local place = tonumber(found[at])
    places[#places + 1], by_place[place] = place, found[at + 1]
  end
  table.sort(places)
  for _, place in ipairs(places) do
    if place >= first and #records < limit then
      records[#records + 1] = by_place[place]
    end
  end
end

chunk = next_chunk(chunk)
while chunk >= 0 and #records < limit do
  read_chunk()
  chunk = next_chunk(chunk + 1)
end
return records
