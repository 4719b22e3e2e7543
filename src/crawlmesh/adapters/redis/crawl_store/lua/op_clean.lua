-- Takes away a part of what a deleted crawl left behind. Returns 1 while there is more.

local HOSTS_AT_ONCE, KEYS_AT_ONCE = 200, 1000

local number = call('HKEYS', root .. 'gone')[1]
if not number then
  return 0
end
local left = unpacked(call('HGET', root .. 'gone', number))

local function clean_hosts()
  local page = call('HSCAN', root .. 'g:' .. number, 0, 'COUNT', HOSTS_AT_ONCE)[2]
  for at = 1, #page, 2 do
    local host = page[at]
    local keys = { root .. 'qb:' .. number .. ':' .. host, root .. 'd:' .. number .. ':' .. host }
    for rank = 0, 9 do
      keys[#keys + 1] = root .. 'q:' .. number .. ':' .. rank .. ':' .. host
    end
    call('UNLINK', unpack(keys))
    call('SREM', root .. 'w:' .. host, number)
    call('HDEL', root .. 'g:' .. number, host)
  end
  return #page > 0
end

local function clean_numbered(name, at)
  local keys = {}
  while left[at] >= 0 and #keys < KEYS_AT_ONCE do
    keys[#keys + 1] = root .. name .. number .. ':' .. left[at]
    left[at] = left[at] - 1
  end
  if #keys > 0 then
    call('UNLINK', unpack(keys))
  end
  return #keys > 0
end

local function clean_records()
  local chunk, cleaned = call('BITPOS', root .. 'rb:' .. number, 1), 0
  while chunk >= 0 and cleaned < KEYS_AT_ONCE do
    call('UNLINK', root .. 'r:' .. number .. ':' .. chunk)
    call('SETBIT', root .. 'rb:' .. number, chunk, 0)
    chunk, cleaned = call('BITPOS', root .. 'rb:' .. number, 1, floor(chunk / 8)), cleaned + 1
  end
  return cleaned > 0
end

if clean_hosts() or clean_numbered('b:', 1) or clean_numbered('z:', 2) or clean_numbered('known:', 3) or clean_records() then
  call('HSET', root .. 'gone', number, pack(left))
  return 1
end
call('UNLINK', root .. 'rb:' .. number)
call('HDEL', root .. 'gone', number)
return call('EXISTS', root .. 'gone')
