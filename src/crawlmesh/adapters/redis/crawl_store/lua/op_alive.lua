-- Which of the fences from ARGV[4] on are those of live leases: 1 or 0 for each.

local answers = {}
for at = 4, #ARGV do
  answers[#answers + 1] = call('HEXISTS', root .. 'l', ARGV[at])
end
return answers
