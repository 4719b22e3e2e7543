"""`/api/distribution`: the paths of S4, on the same use cases. A device is a node under a name of its own.

Imported by `crawlmesh.api.app`.
"""
