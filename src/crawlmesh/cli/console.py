"""Standard output, for tables."""

import sys

from rich.console import Console

_UNBROKEN = 10_000  # characters


def table_console() -> Console:
    """As wide as the terminal; elsewhere as wide as the table, so that no path is cut in two."""
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else _UNBROKEN)
