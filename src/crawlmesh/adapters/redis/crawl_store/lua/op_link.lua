-- The entry of the link with the id ARGV[5] in the crawl ARGV[4], or nil.

local number = Crawls.number(ARGV[4])
return number and Links.entry_of_id(number, tonumber(ARGV[5])) or nil
