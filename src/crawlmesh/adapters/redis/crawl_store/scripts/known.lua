-- What a crawl knows: fingerprints in hashes that stay small enough for Redis to keep them packed. There are
-- as many as are needed (linear hashing): with every 40 fingerprints one of them is split in two.

local BUCKET = 40 -- fingerprints in one on average; up to about 110 before it is split

local intakes = {} -- by crawl: what is added to it

local function set_buckets(intake, number)
  intake.buckets = number
  local half = 1
  while half * 2 <= number do
    half = half * 2
  end
  intake.half, intake.double = half, half * 2
end

local function intake_of(number)
  local intake = intakes[number]
  if not intake then
    local row = crawl_row(number)
    local known = call('HMGET', root .. 'm:' .. number, 'places', 'skips', 'known', 'buckets')
    intake = {
      number = number, row = row, prefix = root .. 'k:' .. number .. ':',
      places = tonumber(known[1] or 0), skips = tonumber(known[2] or 0), known = tonumber(known[3] or 0),
      entries = {}, skip_entries = {}, templates = {}, template_names = {}, added = 0,
    }
    set_buckets(intake, tonumber(known[4] or 1))
    intakes[number] = intake
  end
  return intake
end

-- Where a fingerprint lies that begins at an offset of a text.
local function bucket_at(intake, text, offset)
  local a, b, c, d = byte(text, offset, offset + 3)
  local bucket = (a + b * 256 + c * 65536 + d * 16777216) % intake.double
  if bucket >= intake.buckets then
    bucket = bucket - intake.half
  end
  return intake.prefix .. bucket
end

local function split_bucket(intake)
  local old, new = intake.prefix .. (intake.buckets - intake.half), intake.prefix .. intake.buckets
  set_buckets(intake, intake.buckets + 1)
  local all, moved, gone = call('HGETALL', old), {}, {}
  for at = 1, #all, 2 do
    if bucket_at(intake, all[at], 1) == new then
      moved[#moved + 1], moved[#moved + 2] = all[at], all[at + 1]
      gone[#gone + 1] = all[at]
    end
  end
  call_with_many('HSET', new, moved)
  call_with_many('HDEL', old, gone)
end

local function make_known(intake, key, fingerprint, value, is_new)
  call('HSET', key, fingerprint, value)
  if is_new then
    intake.known = intake.known + 1
    if intake.known > intake.buckets * BUCKET then
      split_bucket(intake)
    end
  end
end

-- Whether a stored value is that of a skip of an earlier round, or of none at all.
local function is_void(intake, value)
  return not value or -tonumber(value) > 0 and -tonumber(value) <= intake.row[SKIP_FLOOR]
end

local function write_list(prefix, first, entries)
  local at = 1
  while at <= #entries do
    local place = first + at - 1
    local fitting = min(CHUNK - (place - 1) % CHUNK, #entries - at + 1)
    call('RPUSH', prefix .. floor((place - 1) / CHUNK), unpack(entries, at, at + fitting - 1))
    at = at + fitting
  end
end

local function write_intakes()
  for number, intake in pairs(intakes) do
    if intake.row[BLOOM] then
      call_with_many('HSET', root .. 'b:' .. number, intake.entries)
    else
      write_list(root .. 'b:' .. number .. ':', intake.places - #intake.entries + 1, intake.entries)
      write_list(root .. 'z:' .. number .. ':', intake.skips - #intake.skip_entries + 1, intake.skip_entries)
    end
    if #intake.entries + #intake.skip_entries > 0 then
      call('HSET', root .. 'm:' .. number, 'places', intake.places, 'skips', intake.skips,
        'known', intake.known, 'buckets', intake.buckets)
    end
    local templates = {}
    for _, template in ipairs(intake.template_names) do
      templates[#templates + 1], templates[#templates + 2] = template, intake.templates[template]
    end
    call_with_many('HSET', root .. 'tp:' .. number, templates)
  end
  intakes = {}
end
