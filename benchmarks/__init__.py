"""Programs that measure Crawlmesh beside its competitors; the method stands in README.md.

Nothing imports this folder. Only `memory` imports Crawlmesh; the crawlers run as processes of their own.
"""
