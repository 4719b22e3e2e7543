"""Logs and metrics.

Imported by api, worker and cli; imports only the model.
"""
