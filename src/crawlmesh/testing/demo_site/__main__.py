"""Runs the demo site as a command."""

import sys

from crawlmesh.testing.demo_site.command import main

if __name__ == "__main__":
    sys.exit(main())
