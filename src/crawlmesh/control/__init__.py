"""What masters do: one file for each use case, `loops/` for what happens by itself.

Imported by api and wiring; imports ports, rules, protocol and model, never an adapter.
"""
