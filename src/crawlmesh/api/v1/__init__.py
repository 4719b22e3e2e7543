"""`/api/v1`: one router for each file.

Imported by `crawlmesh.api.app`; handlers read the request, call a use case and shape the answer.
"""
