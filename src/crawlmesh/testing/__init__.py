"""What tests and demonstrations need: a generated site, a manual clock, builders, conformance suites.

Part of the package, so that adapters of others can be tested with it. Nothing but tests and the demo
command imports it.
"""
