"""Crawlmesh: crawls a site from one command, and the same over a fleet."""

from crawlmesh.version import __version__

__all__ = ["__version__"]
