"""What the core needs from the world, one Protocol per file.

Imported by the engine, the adapters and the wiring; imports only `crawlmesh.model`.
"""
