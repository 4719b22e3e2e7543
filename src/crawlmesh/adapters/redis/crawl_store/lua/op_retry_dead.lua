-- Makes all dead links of the crawl ARGV[4] pending again. Returns how many, or -1 where it is unknown.

local now = current_time()
local number = Crawls.number(ARGV[4])
if not number then
  return -1
end
local codes = call('LRANGE', root .. 'x:' .. number, 0, -1)
for _, text in ipairs(codes) do
  local code = tonumber(text)
  local place = code % RANK
  local entry = Links.entry_at(number, place)
  local host = Links.host(Links.parts(entry)[2])
  local share = Shares.of(number, host)
  Links.write_entry(number, place, Links.begun_again(entry))
  share[DEAD], share[QUEUED] = share[DEAD] - 1, share[QUEUED] + 1
  Queue.add_again(number, host, share, code, now)
end
call('DEL', root .. 'x:' .. number)
Counters.add(number, 'dead', -#codes)
Counters.add(number, 'pending', #codes)
for _, name in ipairs(call('HKEYS', root .. 'c:' .. number)) do
  if sub(name, 1, 7) == 'reason/' then
    call('HDEL', root .. 'c:' .. number, name)
  end
end
Hosts.write()
Counters.write()
return #codes
