"""Implementations of the ports, one folder per technology; siblings never import siblings.

Chosen by `crawlmesh.wiring` alone; import only `crawlmesh.ports`, `crawlmesh.model` and errors.
"""
