"""One suite for each port; every adapter runs it with no more than a factory of its own.

Imported by tests only; imports ports, model and builders, never an adapter.
"""
