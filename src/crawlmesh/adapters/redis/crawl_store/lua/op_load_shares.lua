-- Puts the results of hosts in the crawl ARGV[4], copied from another store: ARGV[5] has for each host its name,
-- done, dead, requests and elapsed. What is queued is counted as links are put.

local number = Crawls.number(ARGV[4])
for _, row in ipairs(unpacked(ARGV[5])) do
  local host = row[1]
  local share = Shares.of(number, host) or Shares.new(number, host)
  share[DONE], share[DEAD], share[REQUESTS], share[ELAPSED] = row[2], row[3], row[4], row[5]
  Shares.change(number, host)
end
Hosts.write()
return 1
