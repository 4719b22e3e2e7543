-- Adding links and skips. A load is a header and, after it in ARGV: fingerprints, heads of 3 bytes (host and
-- priority), templates of 8 bytes or none, fingerprints and rules of skips, the links' bodies, those of skips.

local RUNS, HOSTS, SKIP_RUNS, RULES = 1, 2, 3, 4
local NO_TEMPLATE = '\0\0\0\0\0\0\0\0'

local last_id -- of the partition, once it is needed

local function new_id()
  last_id = (last_id or tonumber(call('HGET', KEYS[1], 'link') or 0)) + 1
  return last_id * PARTITIONS + PARTITION
end

local function write_last_id()
  if last_id then
    call('HSET', KEYS[1], 'link', last_id)
  end
end

local function add_skip(intake, key, value, fingerprint, rule, body)
  if not is_void(intake, value) then
    return
  end
  intake.skips = intake.skips + 1
  intake.skip_entries[#intake.skip_entries + 1] = body
  make_known(intake, key, fingerprint, -intake.skips, not value)
  count(intake.number, 'rule/' .. rule, 1)
end

-- False where the template has enough links; then the link becomes a skip.
local function count_template(intake, template)
  if template == '' or template == NO_TEMPLATE then
    return true
  end
  local links = intake.templates[template]
  if not links then
    links = tonumber(call('HGET', root .. 'tp:' .. intake.number, template) or 0)
    intake.template_names[#intake.template_names + 1] = template
  end
  local limit = intake.row[MAX_TEMPLATE]
  local fits = not limit or links < limit
  intake.templates[template] = links + (fits and 1 or 0)
  return fits
end

local function template_skip(body)
  local link = unpacked(body)
  return pack({ link[1], 'template', link[5] or false, link[2] })
end

local function add_link(intake, host, priority, body, now)
  local id, number = new_id(), intake.number
  intake.places = intake.places + 1
  intake.added = intake.added + 1
  local place = intake.places
  if intake.row[BLOOM] then
    place = id
    intake.entries[#intake.entries + 1] = id
  end
  intake.entries[#intake.entries + 1] = '\146' .. pack(id) .. body
  if not host_row(host) then
    meet_host(host, intake.row[FIRST_DELAY], intake.row[FIRST_SLOTS], now)
  end
  local share = share_of(number, host) or new_share(number, host)
  share[QUEUED] = share[QUEUED] + 1
  queue_fresh(number, host, share, rank_of(priority), place, now)
  return place
end

-- Adds the links of one run; `at` is the index of its first link in the load. Returns how many were new.
local function add_run(load, argument, intake, at, length, now)
  local prints, heads, templates = ARGV[argument + 1], ARGV[argument + 2], ARGV[argument + 3]
  local bodies, hosts, before = argument + 5, load[HOSTS], intake.added
  for index = at, at + length - 1 do
    local offset = index * 16 - 15
    local key = bucket_at(intake, prints, offset)
    local fingerprint = sub(prints, offset, offset + 15)
    local value = call('HGET', key, fingerprint)
    if not value or byte(value) == 45 then
      if count_template(intake, sub(templates, index * 8 - 7, index * 8)) then
        local high, low, priority = byte(heads, index * 3 - 2, index * 3)
        local place = add_link(intake, hosts[high * 256 + low + 1], priority, ARGV[bodies + index], now)
        make_known(intake, key, fingerprint, place, not value)
      else
        add_skip(intake, key, value, fingerprint, 'template', template_skip(ARGV[bodies + index]))
      end
    end
  end
  return intake.added - before
end

local function skip_run(load, argument, intake, at, length, bodies)
  local prints, rules = ARGV[argument + 4], ARGV[argument + 5]
  for index = at, at + length - 1 do
    local offset = index * 16 - 15
    local key = bucket_at(intake, prints, offset)
    local fingerprint = sub(prints, offset, offset + 15)
    local value = call('HGET', key, fingerprint)
    local high, low = byte(rules, index * 2 - 1, index * 2)
    add_skip(intake, key, value, fingerprint, load[RULES][high * 256 + low + 1], ARGV[bodies + index])
  end
end

-- Adds a load whose header is ARGV[argument]. Links of unknown crawls are passed over.
-- Returns how many links were new, and the index of the last argument of the load.
local function add_load(argument, now)
  local load = unpacked(ARGV[argument])
  local links = #ARGV[argument + 1] / 16
  local added, at = 0, 1
  for _, run in ipairs(load[RUNS]) do
    local number = number_of(run[1])
    if number then
      local new = add_run(load, argument, intake_of(number), at, run[2], now)
      added = added + new
      count(number, 'pending', new)
    end
    at = at + run[2]
  end
  at = 1
  for _, run in ipairs(load[SKIP_RUNS]) do
    local number = number_of(run[1])
    if number then
      skip_run(load, argument, intake_of(number), at, run[2], argument + 5 + links)
    end
    at = at + run[2]
  end
  return added, argument + 5 + links + #ARGV[argument + 4] / 16
end
