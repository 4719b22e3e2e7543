"""The command line: one command per file.

The top of the imports: nothing imports it; it imports the wiring and what lies below.
"""
