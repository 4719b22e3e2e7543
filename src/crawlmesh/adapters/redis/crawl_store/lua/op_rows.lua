-- For each of the hosts from ARGV[4] on: its delay, slots and what is left of its rest, and its state.

local now = current_time()
local answer = {}
for at = 4, #ARGV do
  local row = Hosts.row(ARGV[at])
  answer[#answer + 1] = pack({ row[DELAY], row[SLOTS], max(0, row[OPEN_SINCE] - now) })
  answer[#answer + 1] = call('HGET', root .. 'hs', ARGV[at]) or ''
end
return answer
