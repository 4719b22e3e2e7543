"""Redis and Valkey: the crawl store, the Bloom filter, locks.

Chosen by `crawlmesh.wiring`; imports ports, rules and model.
"""
