-- What the crawl with the number ARGV[4] knows, in ARGV[6] buckets from ARGV[5] on: fingerprints and places.

local prefix, answer = Known.intake(tonumber(ARGV[4])).prefix, {}
for bucket = tonumber(ARGV[5]), tonumber(ARGV[5]) + tonumber(ARGV[6]) - 1 do
  for _, item in ipairs(call('HGETALL', prefix .. bucket)) do
    answer[#answer + 1] = item
  end
end
return answer
