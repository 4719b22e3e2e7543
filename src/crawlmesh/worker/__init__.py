"""Work on this machine: single crawls, and the agent of a node with its executors and crawl processes.

Used by the wiring and the commands; imports the engine, ports and protocol. Adapters are handed in.
"""
