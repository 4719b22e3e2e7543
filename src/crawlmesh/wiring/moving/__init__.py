"""Moving a deployment from one address to another: `crawlmesh migrate`.

Imported by the command and, for the marks, by masters at their start; chooses adapters as all of the wiring.
"""
