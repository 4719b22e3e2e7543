-- Dead links: their codes by their places, so that they are read in order and found by place.

local Dead = {}

-- The key of a crawl's dead links, with those that a process of an earlier version put into a list.
function Dead.key(number)
  local key, list = root .. 'y:' .. number, root .. 'x:' .. number
  local codes, scored = call('LRANGE', list, 0, -1), {}
  if #codes > 0 then
    for at, code in ipairs(codes) do
      scored[2 * at - 1], scored[2 * at] = tonumber(code) % RANK, code
    end
    call_with_many('ZADD', key, scored)
    call('DEL', list)
  end
  return key
end

-- Why a link is dead; nothing where it is not.
function Dead.reason(number, parts)
  local outcome = parts[3]
  if outcome and outcome[1] == DIED and Links.round(parts) == Crawls.row(number)[ROUND] then
    return outcome[4] or 'unknown'
  end
  return nil
end
