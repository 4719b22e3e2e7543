-- What all scripts begin with. ARGV[1] is the time or empty, ARGV[2] the partition, ARGV[3] how many there are.
--
-- KEYS[1] is the key of a partition: a hash with its sequences. All other keys
-- begin with it, and with its tag, so they lie in the same slot of a cluster.
--
--   numbers, crawls, definitions    crawls: by id their number, by number their row and their definition
--   c:N, m:N                        a crawl's counters, and its sequences
--   known:N:B                       what is known, in buckets: fingerprint -> place, or -skip
--   b:N:C, z:N:C                    links and skips by their place, in lists of 32
--   r:N:C, rb:N                     records by place, in hashes of 32, and which of these there are
--   s:N, t:N                        a crawl's hosts with its share of each, and when it is whose turn
--   q:N:R:HOST, qb:N:HOST, d:N:HOST pending links: fresh ones by rank, those that came back, those that wait
--   f:N, fs:N                       Bloom filters of links and of skips, of crawls that want them
--   y:N, x:N                        dead links by place; those that an earlier version left in a list
--   tp:N                            links by template
--   h, hs, hl, hn, w:HOST           hosts: rows, states, limits, names in order, crawls that wait for one
--   l, le                           leases by fence, and fences by the moment they run out

local root = KEYS[1] .. ':'
local call, pack, unpacked = redis.call, cmsgpack.pack, cmsgpack.unpack
local byte, sub, floor, max, min = string.byte, string.sub, math.floor, math.max, math.min

local CHUNK = 32 -- links in one list: to find one, Redis walks over those before it
local RANK = 17592186044416 -- 2^44: a link's code is its rank times this, plus its place
local PIECE = 1000 -- arguments of one call

local CRAWL_ID, MAX_PAGES, MAX_TEMPLATE, FIRST_DELAY, FIRST_SLOTS, ROUND, SKIP_FLOOR, BLOOM = 1, 2, 3, 4, 5, 6, 7, 8
local REQUEUES = 9 -- links of the round before are still being queued

local function current_time()
  if ARGV[1] ~= '' then
    return tonumber(ARGV[1])
  end
  local time = call('TIME')
  return tonumber(time[1]) + tonumber(time[2]) / 1000000
end

-- A call with any number of arguments after its fixed ones, in pieces of an even length.
local function call_with_many(command, key, arguments)
  local answer = 0
  for from = 1, #arguments, PIECE do
    answer = answer + call(command, key, unpack(arguments, from, min(from + PIECE - 1, #arguments)))
  end
  return answer
end

-- Crawls -------------------------------------------------------------------------------------------------

local Crawls = { rows = {} }

function Crawls.row(number)
  local row = Crawls.rows[number]
  if row == nil then
    local blob = call('HGET', root .. 'crawls', number)
    row = blob and unpacked(blob) or false
    Crawls.rows[number] = row
  end
  return row
end

function Crawls.write(number, row)
  Crawls.rows[number] = row
  call('HSET', root .. 'crawls', number, pack(row))
end

function Crawls.number(crawl_id)
  local number = call('HGET', root .. 'numbers', crawl_id)
  return number and tonumber(number)
end

-- Counters -----------------------------------------------------------------------------------------------

local Counters = { changes = {} } -- by crawl and name, what was added to them

function Counters.add(number, name, step)
  local of_crawl = Counters.changes[number]
  if not of_crawl then
    of_crawl = {}
    Counters.changes[number] = of_crawl
  end
  of_crawl[name] = (of_crawl[name] or 0) + step
end

function Counters.write()
  for number, of_crawl in pairs(Counters.changes) do
    local names = {}
    for name, step in pairs(of_crawl) do
      if step ~= 0 then
        names[#names + 1] = name
      end
    end
    if #names > 0 then
      local key = root .. 'c:' .. number
      local values, changed = call('HMGET', key, unpack(names)), {}
      for at, name in ipairs(names) do
        changed[2 * at - 1] = name
        changed[2 * at] = (tonumber(values[at] or 0)) + of_crawl[name]
      end
      call_with_many('HSET', key, changed)
    end
  end
  Counters.changes = {}
end

-- One of several partitions has a part of `max_pages`: what it was granted, less what it gave back. Both numbers
-- only grow, so it does no harm to tell them twice, or late.
function Crawls.budget(number, row)
  if ARGV[3] == '1' then
    return row[MAX_PAGES]
  end
  local parts = call('HMGET', root .. 'm:' .. number, 'granted', 'returned')
  return tonumber(parts[1] or 0) - tonumber(parts[2] or 0)
end

-- How many more links of a crawl may go out.
function Crawls.allowance(number, row)
  if not row[MAX_PAGES] then
    return math.huge
  end
  local spent = call('HMGET', root .. 'c:' .. number, 'pages', 'leased')
  return Crawls.budget(number, row) - tonumber(spent[1] or 0) - tonumber(spent[2] or 0)
end
