"""Pure decisions: what a URL's identity is, what is in scope, how tasks and nodes move, where a task goes.

Imported by the engine, the control use cases and the wiring; imports `crawlmesh.model`, `crawlmesh.errors`,
the messages in `crawlmesh.protocol` and parsing libraries only. No input or output, no clock, no randomness:
those come in as arguments.
"""
