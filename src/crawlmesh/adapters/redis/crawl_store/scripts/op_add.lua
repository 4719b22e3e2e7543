-- Adds a load. Returns how many links were new, or -1 where a crawl is unknown.

local now = current_time()
local header = unpacked(ARGV[4])
for _, runs in ipairs({ header[RUNS], header[SKIP_RUNS] }) do
  for _, run in ipairs(runs) do
    if not number_of(run[1]) then
      return -1
    end
  end
end
local added = add_load(4, now)
write_intakes()
write_last_id()
write_hosts()
write_counts()
return added
