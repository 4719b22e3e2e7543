-- At most ARGV[5] hosts with names above ARGV[4]: for each its name, and its row, state and limits or nothing.

local from = ARGV[4] == '' and '-' or '(' .. ARGV[4]
local answer = {}
for _, host in ipairs(call('ZRANGEBYLEX', root .. 'hn', from, '+', 'LIMIT', 0, ARGV[5])) do
  answer[#answer + 1] = host
  for _, name in ipairs({ 'h', 'hs', 'hl' }) do
    answer[#answer + 1] = call('HGET', root .. name, host) or ''
  end
end
return answer
