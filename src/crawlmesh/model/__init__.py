"""Frozen data types that every layer speaks in.

Imported by everything; imports only `crawlmesh.errors` and msgspec.
Durations are seconds, sizes are bytes, moments are Unix time in seconds, unless a name says otherwise.
"""
