-- Adding links and skips. A load is a header and, after it in ARGV: the links' fingerprints, their hosts (2
-- bytes), priorities (1), templates (8, or none at all), where their bodies end (4), and the bodies; then the
-- skips' fingerprints, rules (2), where their bodies end (4), and the bodies. Numbers are little-endian. What
-- a link that is known does not need is not looked at: most of them are.

local RUNS, HOSTS, SKIP_RUNS, RULES = 1, 2, 3, 4 -- of a header
local PRINTS, LINK_HOSTS, PRIORITIES, TEMPLATES, ENDS, BODIES, SKIP_PRINTS, SKIP_RULES, SKIP_ENDS, SKIP_BODIES =
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10
local NO_TEMPLATE = '\0\0\0\0\0\0\0\0'

local Adding = {} -- last_id: of the partition, once it is needed

function Adding.new_id()
  Adding.last_id = (Adding.last_id or tonumber(call('HGET', KEYS[1], 'link') or 0)) + 1
  return Adding.last_id * ARGV[3] + ARGV[2]
end

function Adding.write()
  if Adding.last_id then
    call('HSET', KEYS[1], 'link', Adding.last_id)
  end
end

-- A URL that a rule kept out counts once, and never where it is a link.
function Adding.add_skip(intake, fingerprint, rule, body)
  if intake.row[BLOOM] then
    if Filters.takes_skip(intake, fingerprint) then
      Counters.add(intake.number, 'rule/' .. rule, 1)
    end
    return
  end
  local key = Known.bucket_at(intake, fingerprint, 1)
  local value = call('HGET', key, fingerprint)
  if Known.is_void(intake, value) then
    intake.skips = intake.skips + 1
    intake.skip_entries[#intake.skip_entries + 1] = body
    Known.add(intake, key, fingerprint, -intake.skips, not value)
    Counters.add(intake.number, 'rule/' .. rule, 1)
  end
end

function Adding.links_of_template(intake, template)
  local links = intake.templates[template]
  if not links then
    links = tonumber(call('HGET', root .. 'tp:' .. intake.number, template) or 0)
    intake.templates[template] = links
    intake.template_names[#intake.template_names + 1] = template
  end
  return links
end

-- Whether a template has enough links; further ones become skips.
function Adding.is_trap(intake, template)
  local limit = intake.row[MAX_TEMPLATE]
  return limit and template ~= '' and template ~= NO_TEMPLATE and Adding.links_of_template(intake, template) >= limit
end

function Adding.count_template(intake, template)
  if template ~= '' and template ~= NO_TEMPLATE then
    intake.templates[template] = Adding.links_of_template(intake, template) + 1
  end
end

function Adding.template_skip(body)
  local link = unpacked(body)
  return pack({ link[1], 'template', link[5] or false, link[2] })
end

-- Queues a new link. Returns its place.
function Adding.add_link(intake, host, priority, fingerprint, body, now)
  local id, number = Adding.new_id(), intake.number
  intake.places = intake.places + 1
  intake.added = intake.added + 1
  local place, entry = intake.places, '\146' .. pack(id) .. body
  if intake.row[BLOOM] then
    place, entry = id, fingerprint .. entry
    intake.entries[#intake.entries + 1] = id
  end
  intake.entries[#intake.entries + 1] = entry
  if not Hosts.row(host) then
    Hosts.meet(host, intake.row[FIRST_DELAY], intake.row[FIRST_SLOTS], now)
  end
  local share = Shares.of(number, host) or Shares.new(number, host)
  share[QUEUED] = share[QUEUED] + 1
  Queue.add_fresh(number, host, share, Queue.rank(priority), place, now)
  return place
end

-- The text number `index` of those that are written one after another.
function Adding.text_at(texts, ends, index)
  local start, a, b, c, d = 0, 0, 0, 0, 0
  if index > 1 then
    a, b, c, d = byte(ends, index * 4 - 7, index * 4 - 4)
    start = a + b * 256 + c * 65536 + d * 16777216
  end
  a, b, c, d = byte(ends, index * 4 - 3, index * 4)
  return sub(texts, start + 1, a + b * 256 + c * 65536 + d * 16777216)
end

function Adding.add_new(load, argument, intake, index, fingerprint, value, now)
  local body = Adding.text_at(ARGV[argument + BODIES], ARGV[argument + ENDS], index)
  local template = sub(ARGV[argument + TEMPLATES], index * 8 - 7, index * 8)
  if Adding.is_trap(intake, template) then
    Adding.add_skip(intake, fingerprint, 'template', Adding.template_skip(body))
    return
  end
  local low, high = byte(ARGV[argument + LINK_HOSTS], index * 2 - 1, index * 2)
  local host, priority = load[HOSTS][high * 256 + low + 1], byte(ARGV[argument + PRIORITIES], index)
  local place = Adding.add_link(intake, host, priority, fingerprint, body, now)
  Known.add(intake, Known.bucket_at(intake, fingerprint, 1), fingerprint, place, not value)
  Adding.count_template(intake, template)
end

-- Adds the links from one index of the load to another.
function Adding.add_run(load, argument, intake, from, to, now)
  local all_prints, prefix = ARGV[argument + PRINTS], intake.prefix
  local buckets, half, double = intake.buckets, intake.half, intake.double
  for index = from, to do
    local offset = index * 16 - 15
    local a, b, c, d = byte(all_prints, offset, offset + 3)
    local bucket = (a + b * 256 + c * 65536 + d * 16777216) % double
    if bucket >= buckets then
      bucket = bucket - half
    end
    local fingerprint = sub(all_prints, offset, offset + 15)
    local value = call('HGET', prefix .. bucket, fingerprint)
    if not value or byte(value) == 45 then
      Adding.add_new(load, argument, intake, index, fingerprint, value, now)
      buckets, half, double = intake.buckets, intake.half, intake.double
    end
  end
end

function Adding.add_filtered_run(load, argument, intake, from, to, now)
  for index = from, to do
    local fingerprint = sub(ARGV[argument + PRINTS], index * 16 - 15, index * 16)
    local template = sub(ARGV[argument + TEMPLATES], index * 8 - 7, index * 8)
    if Filters.takes(intake, fingerprint, Adding.is_trap(intake, template)) then
      Adding.add_new(load, argument, intake, index, fingerprint, false, now)
    end
  end
end

function Adding.skip_run(load, argument, intake, from, to)
  for index = from, to do
    local fingerprint = sub(ARGV[argument + SKIP_PRINTS], index * 16 - 15, index * 16)
    local low, high = byte(ARGV[argument + SKIP_RULES], index * 2 - 1, index * 2)
    local body = Adding.text_at(ARGV[argument + SKIP_BODIES], ARGV[argument + SKIP_ENDS], index)
    Adding.add_skip(intake, fingerprint, load[RULES][high * 256 + low + 1], body)
  end
end

-- Adds a load whose header is ARGV[argument]. Links of unknown crawls are passed over. Returns how many were new.
function Adding.add_load(argument, now)
  local load = unpacked(ARGV[argument])
  local added, at = 0, 1
  for _, run in ipairs(load[RUNS]) do
    local number = Crawls.number(run[1])
    if number then
      local intake = Known.intake(number)
      local before, add = intake.added, intake.row[BLOOM] and Adding.add_filtered_run or Adding.add_run
      add(load, argument, intake, at, at + run[2] - 1, now)
      added = added + intake.added - before
      Counters.add(number, 'pending', intake.added - before)
    end
    at = at + run[2]
  end
  at = 1
  for _, run in ipairs(load[SKIP_RUNS]) do
    local number = Crawls.number(run[1])
    if number then
      Adding.skip_run(load, argument, Known.intake(number), at, at + run[2] - 1)
    end
    at = at + run[2]
  end
  return added
end
