-- Adds a load. Returns how many links were new, or -1 where a crawl is unknown.

local now = current_time()
local header = unpacked(ARGV[4])
for _, runs in ipairs({ header[RUNS], header[SKIP_RUNS] }) do
  for _, run in ipairs(runs) do
    if not Crawls.number(run[1]) then
      return -1
    end
  end
end
local added = Adding.add_load(4, now)
Filters.close()
Known.write()
Adding.write()
Hosts.write()
Counters.write()
return added
