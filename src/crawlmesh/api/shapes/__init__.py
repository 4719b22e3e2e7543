"""What answers look like: the fields of S2 8.6 in their order, then our own; moments are ISO 8601 with Z.

A field that is `UNSET` is left out of the answer.
"""
