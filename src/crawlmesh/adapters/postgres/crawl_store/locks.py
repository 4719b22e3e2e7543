"""The advisory locks of the store: two numbers each, a class from below and one for the crawl (or 0)."""

SCHEMA_LOCK = 1_129_136_461  # whoever makes the tables
CRAWL_LOCK = 1_129_136_462  # shared: whoever works on a crawl; alone: whoever deletes it or starts it again
BUDGET_LOCK = 1_129_136_463  # whoever leases from a crawl with a limit of pages
