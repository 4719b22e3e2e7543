"""The engine: lease → fetch → parse → extract → discover → settle.

Used by the wiring and the commands; imports ports, rules and model, never an adapter.
"""
