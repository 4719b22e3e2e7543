-- Puts links of the crawl ARGV[4] that are copies from another store. ARGV[5]: hosts; ARGV[6]: for each link
-- its host, rank, where it stands, and when it is due; then for each its fingerprint, entry, and record or nothing.
-- Links come in the order of their ids; counters are put with the crawl.

local READY, LATER, DEAD_LINK = 1, 2, 3

local now = current_time()
local number = Crawls.number(ARGV[4])
local hosts, rows = unpacked(ARGV[5]), unpacked(ARGV[6])
local intake = Known.intake(number)

local function queue(host, rank, stands, due, place)
  local share = Shares.of(number, host) or Shares.new(number, host)
  local code = rank * RANK + place
  if stands == DEAD_LINK then
    call('ZADD', root .. 'y:' .. number, place, code)
    return
  end
  share[QUEUED] = share[QUEUED] + 1
  if stands == LATER then
    Queue.add_later(number, host, share, code, due)
  else
    Queue.add_fresh(number, host, share, rank, place, now)
  end
end

local function put_record(place, record)
  local chunk = floor(place / CHUNK)
  call('HSET', root .. 'r:' .. number .. ':' .. chunk, place, record)
  call('SETBIT', root .. 'rb:' .. number, chunk, 1)
end

for at, row in ipairs(rows) do
  local fingerprint, entry, record = ARGV[3 * at + 4], ARGV[3 * at + 5], ARGV[3 * at + 6]
  intake.places = intake.places + 1
  intake.entries[#intake.entries + 1] = entry
  Known.add(intake, Known.bucket_at(intake, fingerprint, 1), fingerprint, intake.places, true)
  if row[3] ~= 0 then
    queue(hosts[row[1] + 1], row[2], row[3], row[4], intake.places)
  end
  if record ~= '' then
    put_record(intake.places, record)
  end
end
Known.write()
Hosts.write()
return #rows
