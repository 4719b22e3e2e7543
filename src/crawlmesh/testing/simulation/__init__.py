"""A whole cluster in one process, with nodes and masters that die, freeze and come back by a seeded plan.

The real rules, use cases and loops run on memory stores and a clock that is moved by hand.

`python -m crawlmesh.testing.simulation --seed 7 --nodes 100 --tasks 2000` runs one, and repeats it
exactly. Imports control, adapters.memory and the rest of the testing kit; imported by tests only.
"""
