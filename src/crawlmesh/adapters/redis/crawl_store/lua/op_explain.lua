-- What the crawl ARGV[4] knows of the fingerprint ARGV[5]: nothing, {0, skip}, or
-- {1, entry, its round, state, whether it has a record}.

local number = Crawls.number(ARGV[4])
if not number then
  return {}
end
local intake = Known.intake(number)
local value = call('HGET', Known.bucket_at(intake, ARGV[5], 1), ARGV[5])
if Known.is_void(intake, value) then
  return {}
end
local place = tonumber(value)
if place < 0 then
  local at = -place - 1
  return { 0, call('LINDEX', root .. 'z:' .. number .. ':' .. floor(at / CHUNK), at % CHUNK) }
end

local row, entry = Crawls.row(number), Links.entry_at(number, place)
local parts = Links.parts(entry)

-- Fresh links leave their list at its head only, so the head tells which are still in it.
local function is_queued()
  local host, rank = Links.host(parts[2]), Queue.rank(parts[2][3])
  local code, of_host = rank * RANK + place, number .. ':' .. host
  if call('ZSCORE', root .. 'qb:' .. of_host, code) or call('ZSCORE', root .. 'd:' .. of_host, code) then
    return true
  end
  local head = call('LINDEX', root .. 'q:' .. number .. ':' .. rank .. ':' .. host, 0)
  if head and tonumber(head) <= place then
    return true
  end
  local requeued = row[REQUEUES] and tonumber(call('HGET', root .. 'm:' .. number, 'requeue'))
  return requeued and parts[3] and parts[3][1] ~= RETRY and place > requeued * CHUNK
end

local function state()
  if parts[3] and Links.round(parts) == row[ROUND] and parts[3][1] ~= RETRY then
    return parts[3][1] == DIED and 'dead' or 'done'
  end
  return is_queued() and 'pending' or 'leased'
end

local has_record = call('HEXISTS', root .. 'r:' .. number .. ':' .. floor(place / CHUNK), place)
return { 1, entry, row[ROUND], state(), has_record }
