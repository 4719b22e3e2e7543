"""One file for each crawler or bare loop that Crawlmesh is compared with.

Each runs as `python -m benchmarks.competitors.<name>` in the environment that has its packages.
"""
