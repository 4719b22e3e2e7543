-- Adds the load from ARGV[5] on. Returns how many links were new, or -1 where a crawl is unknown and ARGV[4] is 1.

local now = current_time()
local header = unpacked(ARGV[5])
for _, runs in ipairs({ header[RUNS], header[SKIP_RUNS] }) do
  for _, run in ipairs(runs) do
    if ARGV[4] == '1' and not Crawls.number(run[1]) then
      return -1
    end
  end
end
local added = Adding.add_load(5, now)
Filters.close()
Known.write()
Adding.write()
Hosts.write()
Counters.write()
return added
