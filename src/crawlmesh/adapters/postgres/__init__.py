"""Stores on PostgreSQL, which masters and nodes on several machines share.

Chosen by `crawlmesh.wiring`; imports ports and model.
"""
