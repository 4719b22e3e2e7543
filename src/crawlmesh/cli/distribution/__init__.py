"""What `crawlmesh distribute` is made of: starting, greeting, finding a master, ending.

Imported by the commands `distribute` and `demo`; imports the wiring.
"""
