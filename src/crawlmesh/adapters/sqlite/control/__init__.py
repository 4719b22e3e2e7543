"""The embedded control store: one SQLite file, one writer with group commit, two readers beside it.

Imported by `crawlmesh.adapters.sqlite`; imports ports, model and the writer of the crawl store. The
tables are those of `crawlmesh.migrations`, which whoever opens the store has run before.
"""
