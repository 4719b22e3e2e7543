"""The Bloom filter of links in Redis: for the crawl store's scripts, and as a class of its own.

`BLOOM_LUA` is put before a script that uses the functions described in `bloom.lua`; `new_filter_fields` are what
such a script, or anybody, writes to make a filter. `RedisBloomFilter` is the filter alone, for any program.
"""

from crawlmesh.adapters.redis.bloom.filter_fields import BLOOM_LUA, new_filter_fields
from crawlmesh.adapters.redis.bloom.redis_bloom_filter import RedisBloomFilter

__all__ = ["BLOOM_LUA", "RedisBloomFilter", "new_filter_fields"]
