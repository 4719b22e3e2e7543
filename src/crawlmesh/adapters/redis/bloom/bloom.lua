-- A scalable Bloom filter in the strings of Redis, or in its own Bloom commands where it has them.
-- To be put before other scripts: these are local functions. The layers are those of crawlmesh.rules.bloom_sizing.
--
--   local filter = bloom_open(key)             the key of a filter; nil where there is none
--   bloom_knows(filter, fingerprint)           whether its 16 bytes are known, right or by error
--   bloom_add_if_new(filter, fingerprint)      true where they were new; they are known from now on
--   bloom_close(filter)                        writes the count; to be called before the script ends
--   bloom_create, bloom_delete, bloom_status   see there
--
-- key            hash: form ("script" or "server"), count, capacity (of the first layer), error_rate (of all layers),
--                layers (MessagePack of {{capacity, hashes, pieces, piece_bits, error rate}, …})
-- key:bits:L:P   piece P of layer L, both from 0
-- key:server     the filter of the server's own Bloom commands

local bloom_words = struct.unpack
local BLOOM_TOUCHES = 20 -- links per piece after which every piece has surely got its memory

local function bloom_begin_layer(filter, number)
  local layer = filter.layers[number]
  filter.newest = number
  filter.capacity, filter.hashes, filter.pieces, filter.bits = layer[1], layer[2], layer[3], layer[4]
  local command = {'BITFIELD', ''}
  for hash = 1, filter.hashes do
    command[hash * 4 - 1], command[hash * 4], command[hash * 4 + 2] = 'SET', 'u1', 1
  end
  filter.command = command
end

local function bloom_open(key)
  local state = redis.call('HMGET', key, 'form', 'layers', 'count')
  if not state[1] then return nil end
  if state[1] == 'server' then return {key = key, server = key .. ':server'} end
  local filter = {key = key, layers = cmsgpack.unpack(state[2]), count = tonumber(state[3]), added = 0}
  local number, held = 1, filter.count
  while held > filter.layers[number][1] and filter.layers[number + 1] do
    held = held - filter.layers[number][1]
    number = number + 1
  end
  filter.held = held
  bloom_begin_layer(filter, number)
  return filter
end

-- Most links are not in most layers, and their first or second bit says so.
local function bloom_in_layer(filter, number, place, step, chooser)
  local layer = filter.layers[number]
  local bits = layer[4]
  local piece = filter.key .. ':bits:' .. (number - 1) .. ':' .. (chooser % layer[3])
  for hash = 1, layer[2] do
    if redis.call('GETBIT', piece, place % bits) == 0 then return false end
    place = place + step
    step = step + hash
  end
  return true
end

local function bloom_in_layers(filter, place, step, chooser)
  for number = filter.newest, 1, -1 do
    if bloom_in_layer(filter, number, place, step, chooser) then return true end
  end
  return false
end

local function bloom_knows(filter, fingerprint)
  if filter.server then return redis.call('BF.EXISTS', filter.server, fingerprint) == 1 end
  return bloom_in_layers(filter, bloom_words('<I4I4I4', fingerprint))
end

local function bloom_set_bits(filter, place, step, chooser)
  local command, bits, hashes = filter.command, filter.bits, filter.hashes
  command[2] = filter.key .. ':bits:' .. (filter.newest - 1) .. ':' .. (chooser % filter.pieces)
  if filter.held < filter.pieces * BLOOM_TOUCHES then
    -- Writing to its end makes a new string as long as it will be: growing later would leave room unused.
    redis.call('BITFIELD', command[2], 'SET', 'u8', bits, 0)
  end
  for hash = 1, hashes do
    command[hash * 4 + 1] = place % bits
    place = place + step
    step = step + hash
  end
  redis.call(unpack(command))
end

local function bloom_add_if_new(filter, fingerprint)
  if filter.server then return redis.call('BF.ADD', filter.server, fingerprint) == 1 end
  local place, step, chooser = bloom_words('<I4I4I4', fingerprint)
  -- Asked first, because known links are the most, and writing would fill the append-only file with them.
  if bloom_in_layers(filter, place, step, chooser) then return false end
  if filter.held >= filter.capacity and filter.layers[filter.newest + 1] then
    bloom_begin_layer(filter, filter.newest + 1)
    filter.held = 0
  end
  bloom_set_bits(filter, place, step, chooser)
  filter.held = filter.held + 1
  filter.added = filter.added + 1
  return true
end

local function bloom_close(filter)
  if filter.server or filter.added == 0 then return end
  redis.call('HINCRBY', filter.key, 'count', filter.added)
  filter.added = 0
end

-- Makes a filter; false where there is one already. `form` is "server", "script", or "any": the server's own
-- Bloom commands where it has them and lets us use them.
local function bloom_create(key, layers, capacity, error_rate, form)
  if redis.call('EXISTS', key) == 1 then return false end
  if form ~= 'script' then
    redis.call('UNLINK', key .. ':server')
    local made = redis.pcall('BF.RESERVE', key .. ':server', error_rate, capacity, 'EXPANSION', 2)
    if type(made) ~= 'table' or not made.err then
      form = 'server'
    elseif form == 'server' then
      return made
    else
      form = 'script'
    end
  end
  redis.call('HSET', key, 'form', form, 'layers', layers, 'count', 0, 'capacity', capacity, 'error_rate', error_rate)
  return true
end

-- Removes a filter. It may have thousands of pieces, so their memory is freed beside other work.
local function bloom_delete(key)
  local filter = bloom_open(key)
  if not filter then return end
  for number = 1, filter.newest or 0 do
    for piece = 0, filter.layers[number][3] - 1 do
      redis.call('UNLINK', key .. ':bits:' .. (number - 1) .. ':' .. piece)
    end
  end
  redis.call('UNLINK', key, key .. ':server')
end

-- {form, count, capacity of the first layer, error rate}, and in the server form what BF.INFO says; see
-- crawlmesh.adapters.redis.bloom.filter_fields.read_status.
local function bloom_status(key)
  local state = redis.call('HMGET', key, 'form', 'count', 'capacity', 'error_rate')
  if state[1] ~= 'server' then return state end
  state[5] = redis.call('BF.INFO', key .. ':server')
  return state
end
