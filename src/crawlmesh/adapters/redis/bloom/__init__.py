"""The Bloom filter of links in Redis: for the crawl store's scripts, and as a class of its own.

`BLOOM_LUA` is put before a script that uses the functions described in `bloom.lua`; `new_filter_fields` are
what `bloom_create` is given, `read_status` understands what `bloom_status` answers. `RedisBloomFilter` is the
filter alone, for any program.
"""

from crawlmesh.adapters.redis.bloom.filter_fields import BLOOM_LUA, new_filter_fields, read_status
from crawlmesh.adapters.redis.bloom.redis_bloom_filter import RedisBloomFilter

__all__ = ["BLOOM_LUA", "RedisBloomFilter", "new_filter_fields", "read_status"]
