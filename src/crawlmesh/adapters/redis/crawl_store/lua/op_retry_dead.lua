-- Makes dead links of the crawl ARGV[4] pending again: with a reason in ARGV[5], those that died for it; with 1
-- in ARGV[6], those whose fingerprints follow. Returns how many, or -1 where the crawl is unknown.

local now = current_time()
local number, reason = Crawls.number(ARGV[4]), ARGV[5]
if not number then
  return -1
end
local key, revived = Dead.key(number), {}

local function revive(place)
  local entry = Links.entry_at(number, place)
  if not entry then
    return
  end
  local parts = Links.parts(entry)
  local found = Dead.reason(number, parts)
  if not found or (reason ~= '' and found ~= reason) then
    return
  end
  local host = Links.host(parts[2])
  local share, code = Shares.of(number, host), Queue.rank(parts[2][3]) * RANK + place
  Links.write_entry(number, place, Links.begun_again(entry))
  share[DEAD], share[QUEUED] = share[DEAD] - 1, share[QUEUED] + 1
  Queue.add_again(number, host, share, code, now)
  Counters.add(number, 'reason/' .. found, -1)
  revived[#revived + 1] = code
end

if ARGV[6] == '1' then
  local intake = Known.intake(number)
  for at = 7, #ARGV do
    local value = call('HGET', Known.bucket_at(intake, ARGV[at], 1), ARGV[at])
    if value and tonumber(value) > 0 then
      revive(tonumber(value))
    end
  end
else
  for _, code in ipairs(call('ZRANGE', key, 0, -1)) do
    revive(tonumber(code) % RANK)
  end
end
call_with_many('ZREM', key, revived)
Counters.add(number, 'dead', -#revived)
Counters.add(number, 'pending', #revived)
Hosts.write()
Counters.write()
return #revived
