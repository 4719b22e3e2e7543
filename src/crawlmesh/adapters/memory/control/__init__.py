"""The tables behind `MemoryControlStore`: tasks, executions, nodes and the journal, each with its indexes.

Imported by `crawlmesh.adapters.memory.control_store`; imports the model and the indexes beside it.
"""
