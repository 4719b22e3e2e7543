"""The HTTP interfaces: `v1/` and `distribution/`, keys, errors, events.

Imported by wiring; imports control, protocol and model.
"""
