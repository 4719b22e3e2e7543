"""The task channel on Apache Kafka, or on anything that speaks its protocol.

Chosen by `crawlmesh.wiring`, which imports `task_channel` only where an address asks for it: the library
behind it is the extra `kafka`. Imports ports and errors.
"""
