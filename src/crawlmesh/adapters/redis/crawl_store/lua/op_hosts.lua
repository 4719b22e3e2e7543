-- Hosts over all crawls: the host ARGV[4], or where it is empty at most ARGV[6] with names above ARGV[5].
-- Returns for each its name, numbers, state and limits.

local now = current_time()
local names
if ARGV[4] ~= '' then
  names = call('ZSCORE', root .. 'hn', ARGV[4]) and { ARGV[4] } or {}
else
  local from = ARGV[5] == '' and '-' or '(' .. ARGV[5]
  names = call('ZRANGEBYLEX', root .. 'hn', from, '+', 'LIMIT', 0, ARGV[6])
end

local sums, answer = {}, {}
if #names > 0 then
  for _, number in ipairs(call('HVALS', root .. 'numbers')) do
    for at, blob in ipairs(call('HMGET', root .. 's:' .. number, unpack(names))) do
      if blob then
        local share = unpacked(blob)
        local sum = sums[at] or { 0, 0, 0, 0, 0 }
        for place, field in ipairs({ QUEUED, DONE, DEAD, REQUESTS, ELAPSED }) do
          sum[place] = sum[place] + share[field]
        end
        sums[at] = sum
      end
    end
  end
end
for at, host in ipairs(names) do
  local row, sum = Hosts.row(host), sums[at] or { 0, 0, 0, 0, 0 }
  local numbers = { row and row[DELAY] or -1, row and row[SLOTS] or -1, row and row[USED] or 0,
    row and max(0, row[OPEN_SINCE] - now) or 0, sum[1], sum[2], sum[3], sum[4], sum[5] }
  answer[#answer + 1] = host
  answer[#answer + 1] = pack(numbers)
  answer[#answer + 1] = call('HGET', root .. 'hs', host) or ''
  answer[#answer + 1] = call('HGET', root .. 'hl', host) or ''
end
return answer
