"""Pure decisions: what a URL's identity is, what is in scope, how long to wait, what robots.txt allows.

Imported by the engine, the control use cases and the wiring; imports `crawlmesh.model`, `crawlmesh.errors`
and parsing libraries only. No input or output, no clock, no randomness: those come in as arguments.
"""
