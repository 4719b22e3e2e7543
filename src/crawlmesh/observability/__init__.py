"""Logs and metrics.

Imported by control, api, worker and cli; imports only the model.
"""
