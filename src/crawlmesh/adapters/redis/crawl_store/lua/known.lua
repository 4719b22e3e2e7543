-- What a crawl knows: fingerprints in hashes that stay small enough for Redis to keep them packed. There are
-- as many as are needed (linear hashing): with every 16 fingerprints one of them is split in two.

local BUCKET = 16 -- fingerprints in one on average: to find one, Redis walks over the others

local Known = { intakes = {} } -- by crawl: what is added to it

function Known.set_buckets(intake, number)
  intake.buckets = number
  local half = 1
  while half * 2 <= number do
    half = half * 2
  end
  intake.half, intake.double = half, half * 2
end

function Known.intake(number)
  local intake = Known.intakes[number]
  if not intake then
    local row = Crawls.row(number)
    local known = call('HMGET', root .. 'm:' .. number, 'places', 'skips', 'known', 'buckets')
    intake = {
      number = number, row = row, prefix = root .. 'known:' .. number .. ':',
      places = tonumber(known[1] or 0), skips = tonumber(known[2] or 0), known = tonumber(known[3] or 0),
      entries = {}, skip_entries = {}, templates = {}, template_names = {}, added = 0,
    }
    Known.set_buckets(intake, tonumber(known[4] or 1))
    Known.intakes[number] = intake
  end
  return intake
end

-- Where a fingerprint lies that begins at an offset of a text.
function Known.bucket_at(intake, text, offset)
  local a, b, c, d = byte(text, offset, offset + 3)
  local bucket = (a + b * 256 + c * 65536 + d * 16777216) % intake.double
  if bucket >= intake.buckets then
    bucket = bucket - intake.half
  end
  return intake.prefix .. bucket
end

function Known.split(intake)
  local old, new = intake.prefix .. (intake.buckets - intake.half), intake.prefix .. intake.buckets
  Known.set_buckets(intake, intake.buckets + 1)
  local all, moved, gone = call('HGETALL', old), {}, {}
  for at = 1, #all, 2 do
    if Known.bucket_at(intake, all[at], 1) == new then
      moved[#moved + 1], moved[#moved + 2] = all[at], all[at + 1]
      gone[#gone + 1] = all[at]
    end
  end
  call_with_many('HSET', new, moved)
  call_with_many('HDEL', old, gone)
end

function Known.add(intake, key, fingerprint, value, is_new)
  call('HSET', key, fingerprint, value)
  if is_new then
    intake.known = intake.known + 1
    if intake.known > intake.buckets * BUCKET then
      Known.split(intake)
    end
  end
end

-- Where a filter knows what is done, only links that are not are in the buckets.
function Known.forget(intake, fingerprint)
  if call('HDEL', Known.bucket_at(intake, fingerprint, 1), fingerprint) == 1 then
    intake.known = intake.known - 1
    intake.changed = true
  end
end

-- Whether a stored value is that of a skip of an earlier round, or of none at all.
function Known.is_void(intake, value)
  return not value or -tonumber(value) > 0 and -tonumber(value) <= intake.row[SKIP_FLOOR]
end

function Known.write_list(prefix, first, entries)
  local at = 1
  while at <= #entries do
    local place = first + at - 1
    local fitting = min(CHUNK - (place - 1) % CHUNK, #entries - at + 1)
    call('RPUSH', prefix .. floor((place - 1) / CHUNK), unpack(entries, at, at + fitting - 1))
    at = at + fitting
  end
end

function Known.write()
  for number, intake in pairs(Known.intakes) do
    if intake.row[BLOOM] then
      call_with_many('HSET', root .. 'b:' .. number, intake.entries)
    else
      Known.write_list(root .. 'b:' .. number .. ':', intake.places - #intake.entries + 1, intake.entries)
      Known.write_list(root .. 'z:' .. number .. ':', intake.skips - #intake.skip_entries + 1, intake.skip_entries)
    end
    if intake.changed or #intake.entries + #intake.skip_entries > 0 then
      call('HSET', root .. 'm:' .. number, 'places', intake.places, 'skips', intake.skips,
        'known', intake.known, 'buckets', intake.buckets)
    end
    local templates = {}
    for _, template in ipairs(intake.template_names) do
      templates[#templates + 1], templates[#templates + 2] = template, intake.templates[template]
    end
    call_with_many('HSET', root .. 'tp:' .. number, templates)
  end
  Known.intakes = {}
end
