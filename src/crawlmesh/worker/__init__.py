"""Crawls on this machine: preparing one, running it in one process or several, ending it.

Used by the wiring and the commands; imports the engine and ports. Adapters are handed in.
"""
