-- Puts skips of the crawl ARGV[4] that are copies from another store: a fingerprint and a body each.

local intake = Known.intake(Crawls.number(ARGV[4]))
for at = 5, #ARGV, 2 do
  intake.skips = intake.skips + 1
  intake.skip_entries[#intake.skip_entries + 1] = ARGV[at + 1]
  Known.add(intake, Known.bucket_at(intake, ARGV[at], 1), ARGV[at], -intake.skips, true)
end
Known.write()
return 1
