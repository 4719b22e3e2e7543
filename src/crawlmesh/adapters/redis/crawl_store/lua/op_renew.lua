-- Gives leases more time. ARGV[4]: fence, duration, rest, state of each. Returns 1 or 0 for each.

local now = current_time()
local answers = {}
for at, renewal in ipairs(unpacked(ARGV[4])) do
  local fence, duration, has_report, rest, state = unpack(renewal, 1, 5)
  local lease = Leases.of(fence)
  answers[at] = lease and 1 or 0
  if lease then
    lease[EXPIRES_AT] = now + duration
    Leases.write(fence, lease)
    call('ZADD', root .. 'le', lease[EXPIRES_AT], fence)
    if has_report then
      if state then
        Hosts.take_state(lease[HOST], state[1], state[2], state[3], ARGV[state[4]])
      end
      Hosts.let_rest(lease[HOST], now, rest or 0)
      Turns.offer_host(lease[HOST])
    end
  end
end
Hosts.write()
return answers
