-- Crawls whose links a Bloom filter knows. Those that are done are forgotten but for it. What a rule kept out
-- is in a filter of its own, so that a URL which was skipped may still become a link.

local Filters = {}

function Filters.of(intake)
  intake.filter = intake.filter or Bloom().open(root .. 'f:' .. intake.number)
  return intake.filter
end

function Filters.of_skips(intake)
  local key = root .. 'fs:' .. intake.number
  intake.skip_filter = intake.skip_filter or Bloom().open(key)
  if not intake.skip_filter then
    local like = call('HMGET', root .. 'f:' .. intake.number, 'layers', 'capacity', 'error_rate')
    Bloom().create(key, like[1], like[2], like[3], 'any')
    intake.skip_filter = Bloom().open(key)
  end
  return intake.skip_filter
end

-- Whether a link is new; unless it is only asked for, it is known from now on.
function Filters.takes(intake, fingerprint, only_asked)
  if only_asked then
    return not Bloom().knows(Filters.of(intake), fingerprint)
  end
  return Bloom().add_if_new(Filters.of(intake), fingerprint)
end

function Filters.takes_skip(intake, fingerprint)
  return not Bloom().knows(Filters.of(intake), fingerprint)
    and Bloom().add_if_new(Filters.of_skips(intake), fingerprint)
end

function Filters.close()
  for _, intake in pairs(Known.intakes) do
    for _, filter in pairs({ intake.filter, intake.skip_filter }) do
      Bloom().close(filter)
    end
  end
end
