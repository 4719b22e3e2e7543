-- Links: what is stored of each, by its place. Places of a crawl are numbered from 1 without gaps, so that
-- links lie packed in lists; where a Bloom filter knows them, they lie in a hash under their id.
--
-- An entry is a MessagePack array that is put together from parts which are rarely taken apart:
-- the id, the body, the last outcome, and more where there was more than one attempt or round.

local MORE_ROUND, MORE_ETAG, MORE_MODIFIED, MORE_ATTEMPTS = 1, 2, 3, 4
local RETRY, DIED = 5, 6 -- kinds of outcomes
local VOID = -1 -- the round of an outcome that does not count any more

local Links = { prints = {} } -- prints: of links that a filter knows; they lie before their entries

function Links.chunk(number, place)
  return root .. 'b:' .. number .. ':' .. floor((place - 1) / CHUNK), (place - 1) % CHUNK
end

function Links.split_print(place, stored)
  if not stored then
    return stored
  end
  Links.prints[place] = sub(stored, 1, 16)
  return sub(stored, 17)
end

function Links.entry_at(number, place)
  if Crawls.row(number)[BLOOM] then
    return Links.split_print(place, call('HGET', root .. 'b:' .. number, place))
  end
  return call('LINDEX', Links.chunk(number, place))
end

-- Replaces an entry that this script has read.
function Links.write_entry(number, place, entry)
  if Crawls.row(number)[BLOOM] then
    call('HSET', root .. 'b:' .. number, place, Links.prints[place] .. entry)
  else
    local key, at = Links.chunk(number, place)
    call('LSET', key, at, entry)
  end
end

-- The entries at places, which often follow one another.
function Links.entries_at(number, places)
  local entries, from = {}, 1
  if Crawls.row(number)[BLOOM] then
    for at, place in ipairs(places) do
      entries[at] = Links.entry_at(number, place)
    end
    return entries
  end
  while from <= #places do
    local to = from
    local key, at = Links.chunk(number, places[from])
    while places[to + 1] == places[to] + 1 and at + to + 1 - from < CHUNK do
      to = to + 1
    end
    for _, entry in ipairs(call('LRANGE', key, at, at + to - from)) do
      entries[#entries + 1] = entry
    end
    from = to + 1
  end
  return entries
end

function Links.id(entry)
  local _, id = cmsgpack.unpack_one(entry, 1)
  return id
end

function Links.parts(entry)
  return unpacked(entry)
end

function Links.host(body)
  return body[8] or string.match(body[1], '^[^/]*/[^/]*/([^/]*)')
end

-- The id and the body as they are stored, without the head of the array.
function Links.identity(entry)
  local parts = byte(entry) - 0x90
  if parts == 2 then
    return sub(entry, 2), parts
  end
  local offset = cmsgpack.unpack_one(entry, 1)
  offset = cmsgpack.unpack_one(entry, offset)
  return sub(entry, 2, offset), parts
end

function Links.round(parts)
  return parts[4] and parts[4][MORE_ROUND] or 0
end

function Links.attempt_from(outcome)
  return { outcome[2], outcome[6], outcome[1], outcome[3] or false, outcome[4] or false, outcome[7] }
end

-- What a link's entry says beside its new outcome: earlier attempts, and the validators of a kept copy.
function Links.more(old, round, keeps_copy)
  local attempts, etag, modified = {}, false, false
  if old[3] then
    if Links.round(old) == round then
      attempts = old[4] and old[4][MORE_ATTEMPTS] or {}
      attempts[#attempts + 1] = Links.attempt_from(old[3])
    end
    if keeps_copy then
      etag = (old[4] and old[4][MORE_ETAG]) or old[3][9] or false
      modified = (old[4] and old[4][MORE_MODIFIED]) or old[3][10] or false
    end
  end
  return pack({ round, etag, modified, attempts })
end

-- The entry with another outcome. `keeps_copy`: the copy that the store holds is still the one it was.
function Links.with_outcome(entry, outcome, round, keeps_copy)
  local identity, parts = Links.identity(entry)
  if parts == 2 and round == 0 then
    return '\147' .. identity .. outcome
  end
  return '\148' .. identity .. outcome .. Links.more(Links.parts(entry), round, keeps_copy)
end

-- The entry with its attempts forgotten, but not what came of them.
function Links.begun_again(entry)
  local identity = Links.identity(entry)
  local offset = cmsgpack.unpack_one(entry, #identity + 1)
  local more = Links.more(Links.parts(entry), VOID, true)
  return '\148' .. identity .. sub(entry, #identity + 2, offset) .. more
end

-- The place of the first link whose id is not below the given one.
function Links.place_from(number, id)
  if Crawls.row(number)[BLOOM] then
    return id
  end
  local low, high = 1, tonumber(call('HGET', root .. 'm:' .. number, 'places') or 0) + 1
  while low < high do
    local middle = floor((low + high) / 2)
    if Links.id(Links.entry_at(number, middle)) < id then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

function Links.entry_of_id(number, id)
  local entry = Links.entry_at(number, Links.place_from(number, id))
  return entry and Links.id(entry) == id and entry or false
end
