-- Queues links of the rounds before: those in the next ARGV[5] lists of the crawl with the number ARGV[4].
-- Returns 1 while there are more.

local now = current_time()
local number = tonumber(ARGV[4])
local row = Crawls.row(number)
if not row or not row[REQUEUES] then
  return 0
end
local sequences = call('HMGET', root .. 'm:' .. number, 'requeue', 'places')
local chunk, last = tonumber(sequences[1]), floor((tonumber(sequences[2] or 0) - 1) / CHUNK)
local in_order = {} -- by host and rank: whether older links may go to the end of the list

local function is_last(host, rank, place)
  local name = rank .. host
  if in_order[name] == nil then
    local youngest = call('LINDEX', root .. 'q:' .. number .. ':' .. rank .. ':' .. host, -1)
    in_order[name] = not youngest or tonumber(youngest) < place
  end
  return in_order[name]
end

local function requeue(place, entry)
  if byte(entry) < 0x93 then
    return -- it has no outcome
  end
  local parts = Links.parts(entry)
  local round = Links.round(parts)
  if round == VOID or round == row[ROUND] or parts[3][1] == RETRY then
    return
  end
  local host, rank = Links.host(parts[2]), Queue.rank(parts[2][3])
  local share = Shares.of(number, host)
  if is_last(host, rank, place) then
    Queue.add_fresh(number, host, share, rank, place, now)
  else
    Queue.add_again(number, host, share, rank * RANK + place, now)
  end
end

local stop = min(last, chunk + tonumber(ARGV[5]) - 1)
while chunk <= stop do
  for at, entry in ipairs(call('LRANGE', root .. 'b:' .. number .. ':' .. chunk, 0, -1)) do
    requeue(chunk * CHUNK + at, entry)
  end
  chunk = chunk + 1
end
call('HSET', root .. 'm:' .. number, 'requeue', chunk)
Hosts.write()
if chunk <= last then
  return 1
end
row[REQUEUES] = false
Crawls.write(number, row)
return 0
